// The weights of both axes in scratch memory: made once, by one thread per row and column of the result.
#pragma once
#include "core/host/launch.h"
#include "ops/image/resize/taps.cuh"

namespace warpath::resize {
namespace {

// For each result its first pixel, how many there are, and their weights, `most` words apart.
struct Table {
  int* first;
  int* count;
  void* weights;
  int most;

  // Next to each other from `at` on.
  static Table at(char*& at, const Axis& axis) {
    Table t;
    t.most = static_cast<int>(axis.most());
    t.first = reinterpret_cast<int*>(at);
    t.count = t.first + axis.out;
    t.weights = t.count + axis.out;
    at += bytes(axis);
    return t;
  }
  static std::int64_t bytes(const Axis& axis) { return axis.out * (axis.most() + 2) * 4; }
};

template <class T>
__global__ void fill_tables(Axis down, Axis across, Table rows, Table cols) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  const bool row = i < down.out;
  const std::int64_t o = row ? i : i - down.out;
  const Axis& axis = row ? down : across;
  const Table& table = row ? rows : cols;
  if (o >= axis.out) return;
  auto* const weights = static_cast<sum_of<T>*>(table.weights) + o * table.most;
  int count = 0;
  each_tap<T>(axis, o, [&](int, sum_of<T> weight) { weights[count++] = weight; });
  table.first[o] = int(axis.first(o));
  table.count[o] = count;
}

struct Tables {
  Axis down, across;
  Table rows, cols;

  static Tables of(const Args& args) {
    const Shape s = Shape::of(args);
    Tables t;
    t.down = Axis::of(s.height, s.out_height, args.antialias);
    t.across = Axis::of(s.width, s.out_width, args.antialias);
    auto* at = static_cast<char*>(args.scratch.data);
    t.rows = Table::at(at, t.down);
    t.cols = Table::at(at, t.across);
    return t;
  }
  template <class T>
  void fill(cudaStream_t stream) const {
    const unsigned blocks = grid_x(down.out + across.out, 64);
    fill_tables<T><<<blocks, 64, 0, stream>>>(down, across, rows, cols);
  }
};

inline std::int64_t table_bytes(const Args& args) {
  if (args.y.size() == 0) return 0;
  const Shape s = Shape::of(args);
  return Table::bytes(Axis::of(s.height, s.out_height, args.antialias)) +
         Table::bytes(Axis::of(s.width, s.out_width, args.antialias));
}

}  // namespace
}  // namespace warpath::resize
