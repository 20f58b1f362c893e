// The host's side of the Hopper rungs: which calls they take, tensor maps, sizes.
#pragma once
#include <type_traits>

#include "core/device.cuh"
#include "core/dispatch.cuh"
#include "core/tensor_map.h"
#include "hopper.cuh"
#include "problem.cuh"

namespace warpath::matmul::hopper {

inline constexpr const char* copy_engine_needs =
    "copies boxes: needs a contiguous axis, and rows and matrices at multiples of 16 bytes";

// How an operand lies: `kept` is the axis that d keeps (1 of a, 2 of b), the other one is k.
struct Laid {
  MatrixStack stack;
  bool across;  // the kept axis is the contiguous one
};
inline Laid laid(const Tensor& t, int kept) {
  const int k = 3 - kept;
  const bool unit = t.shape[kept] == 1 || t.stride[kept] == 1;
  const bool across = unit && (t.shape[k] == 1 ? t.shape[kept] > 1 : t.stride[k] != 1);
  const int inner = across ? kept : k, rows = 3 - inner;
  return {{t.dtype, t.data, t.shape[inner], t.shape[rows], t.shape[0], t.stride[rows], t.stride[0]},
          across};
}
inline bool copies(const Tensor& t, int kept) {
  const Laid l = laid(t, kept);
  const int inner = l.across ? kept : 3 - kept;
  return (t.shape[inner] == 1 || t.stride[inner] == 1) && fits_tensor_map(l.stack);
}

// One tile of d for every 16 SMs or fewer, and a long way along k.
inline std::string many_or_short(const Args& args) {
  const std::int64_t tiles = args.batch() * ceil_div(args.m(), 128) * ceil_div(args.n(), 256);
  if (16 * tiles > std::int64_t(multiprocessors()) || args.k() < 8192) return {};
  return "too few tiles for so long a k: rung 12_split_k cuts it into more parts";
}

inline std::string supports(const Args& args) {
  if (const std::string why = any(args); !why.empty()) return why;
  if (args.d.size() == 0) return {};
  if (args.k() == 0) return "needs at least one product: k is 0";
  if (args.a.dtype == DType::f32 && !args.tf32)
    return "multiplies f32 as tf32 only, where the call allows it";
  if (!copies(args.a, 1) || !copies(args.b, 2)) return copy_engine_needs;
  if (args.a.dtype == DType::f32 && (laid(args.a, 1).across || laid(args.b, 2).across))
    return "wants k contiguous in both inputs of tf32";
  return many_or_short(args);
}

// The inputs' type and which of them lie across.
template <class T, bool AAcross, bool BAcross>
struct Form {};

template <class F>
void by_form(const Args& args, F f) {
  if (args.d.size() == 0) return;
  const bool a = laid(args.a, 1).across, b = laid(args.b, 2).across;
  const auto by_layout = [&]<class T>(Tag<T>) {
    if constexpr (sizeof(T) == 4) {
      f(Form<T, false, false>{});
    } else if (a) {
      b ? f(Form<T, true, true>{}) : f(Form<T, true, false>{});
    } else {
      b ? f(Form<T, false, true>{}) : f(Form<T, false, false>{});
    }
  };
  dispatch_float(args.a.dtype, by_layout);
  CUDA_CHECK(cudaGetLastError());
}

template <class Panel>
CUtensorMap map_of(const Tensor& t, int kept) {
  return tensor_map(laid(t, kept).stack, Panel::box_rows);
}
template <class Tile>
CUtensorMap map_of_a(const Args& args) {
  return map_of<typename Tile::A>(args.a, 1);
}
template <class Tile>
CUtensorMap map_of_b(const Args& args) {
  return map_of<typename Tile::BShare>(args.b, 2);
}

// Tiles of `Down` blocks' rows: more than one where a cluster takes a tile.
template <class Tile, int Down = 1>
Shape shape_of(const Args& args, int band) {
  const std::int64_t rows = ceil_div(args.m(), Tile::m * Down),
                     columns = ceil_div(args.n(), Tile::n);
  WARPATH_CHECK(rows * columns * args.batch() <= max_grid_x,
                "matmul: d has too many tiles for one launch");
  return {int(args.m()),
          int(args.n()),
          int(ceil_div(args.k(), Tile::k)),
          args.a.stride[0] != 0,
          args.b.stride[0] != 0,
          QuickOrder::of(rows, columns, args.batch(), band)};
}

}  // namespace warpath::matmul::hopper
