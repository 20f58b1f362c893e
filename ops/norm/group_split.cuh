// How the elements of a group are shared out to several blocks, for both layouts of an image.
//
// Runs (NCHW): a part is a stretch of the group's vectors. Columns (NHWC: inner is 1): an image is a matrix of outer rows
// and one column per channel; a block takes a slab of the columns and some of the rows, so that neighbouring threads read
// neighbouring channels.
#pragma once
#include "core/host/device.cuh"
#include "core/thread/divisor.cuh"
#include "ops/norm/group_problem.cuh"
#include "ops/norm/moments.cuh"

namespace warpath::norm {

inline constexpr int split_threads = 256, split_items = 4;  // vectors in flight per thread

inline bool has_columns(const GroupShape& s) {
  return s.inner == 1 && s.outer > 1;
}

// Blocks that keep the GPU busy: eight of 256 threads per SM.
inline std::int64_t busy_blocks() {
  return 8 * std::int64_t(multiprocessors());
}

struct Runs {
  int parts, run_vectors, vectors, part_vectors;
  Divisor by_run;

  Runs(const GroupShape& s, int N) {
    run_vectors = int(s.run() / N);
    vectors = int(s.outer * run_vectors);
    const std::int64_t most = ceil_div(std::int64_t(vectors), split_threads * split_items);
    const std::int64_t wanted = ceil_div(busy_blocks(), std::max<std::int64_t>(s.all_groups(), 1));
    parts = int(std::max<std::int64_t>(std::min<std::int64_t>(wanted, most), 1));
    part_vectors = ceil_div(vectors, parts);
    by_run = Divisor::of(std::max(run_vectors, 1));
  }
  // Of vector `v`, from the start of its group on.
  template <int N>
  __device__ __forceinline__ std::int64_t place(int v, std::int64_t pitch) const {
    const int run = by_run.quotient(v);
    return run * pitch + std::int64_t(v - run * run_vectors) * N;
  }
};

struct Columns {
  int parts, slabs, slab_vectors;
  std::int64_t part_rows;
  dim3 block;

  Columns(const GroupShape& s, int N) {
    const std::int64_t vectors = s.all_channels() / N;
    slabs = int(std::max<std::int64_t>(ceil_div(vectors, 64), 1));
    slab_vectors = int(std::max<std::int64_t>(ceil_div(vectors, slabs), 1));
    block = dim3(unsigned(slab_vectors), unsigned(split_threads / slab_vectors));
    const std::int64_t most = ceil_div(s.outer, std::int64_t(block.y) * split_items);
    const std::int64_t wanted =
        ceil_div(busy_blocks() / 2, std::max<std::int64_t>(s.batch * slabs, 1));
    parts = int(std::max<std::int64_t>(std::min(wanted, most), 1));
    part_rows = ceil_div(s.outer, parts);
  }
  unsigned blocks(const GroupShape& s) const { return grid_x(s.batch * parts * slabs, 1); }
};

// What a block of a columns kernel works on.
template <int N>
struct ColumnBlock {
  std::int64_t image, first, last;  // rows of the image
  std::int64_t column;              // of this thread
  int part;
  bool inside;

  __device__ __forceinline__ ColumnBlock(const GroupShape& s, const Columns& c, unsigned block) {
    const int slab = int(block % unsigned(c.slabs));
    const unsigned rest = block / unsigned(c.slabs);
    part = int(rest % unsigned(c.parts));
    image = rest / unsigned(c.parts);
    first = part * c.part_rows;
    last = min(first + c.part_rows, s.outer);
    column = (std::int64_t(slab) * c.slab_vectors + threadIdx.x) * N;
    inside = column < s.all_channels();
  }
  __device__ __forceinline__ std::int64_t start(const GroupShape& s) const {
    return image * s.outer * s.all_channels() + column;
  }
};

// Planes for kernels that treat each element on its own: a block has blockDim.y planes, or a piece of one.
struct Planes {
  int pieces;
  dim3 block;
  unsigned blocks;

  Planes(const GroupShape& s, int N) {
    const std::int64_t vectors = s.inner / N;
    block = row_block(vectors, split_items, split_threads);
    block.x = std::min(block.x, unsigned(split_threads));
    pieces = int(std::max<std::int64_t>(ceil_div(vectors, std::int64_t(block.x) * split_items), 1));
    blocks = grid_x(ceil_div(s.batch * s.outer * s.all_channels(), block.y) * pieces, 1);
  }
};
struct PlaneBlock {
  std::int64_t plane, channel, group;
  int first;  // vector of this thread; the next is blockDim.x further
  bool inside;

  __device__ __forceinline__ PlaneBlock(const GroupShape& s, const Planes& p, unsigned block) {
    plane = std::int64_t(block / unsigned(p.pieces)) * blockDim.y + threadIdx.y;
    inside = plane < s.batch * s.outer * s.all_channels();
    first = int(block % unsigned(p.pieces)) * split_items * int(blockDim.x) + int(threadIdx.x);
    channel = plane % s.all_channels();
    group = plane / (s.all_channels() * s.outer) * s.groups + channel / s.channels;
  }
};

// Calls f(width): 16-byte vectors where every run, plane or row of columns is a whole number of them.
template <class T, class F, class... P>
void with_group_width(const GroupShape& s, F f, const P*... p) {
  with_width<T>(has_columns(s) ? s.all_channels() : s.inner, f, p...);
}

// Empty, or why these rungs are not for the call: their counters are 32-bit.
inline std::string split_takes(const GroupShape& s) {
  constexpr std::int64_t most = std::int64_t(1) << 31;
  return s.group_size() < most && s.inner < most ? "" : "takes groups of less than 2^31 elements";
}

}  // namespace warpath::norm
