// The host's side of the Hopper rungs: which calls they take, forms, tensor maps, sizes.
#pragma once
#include "core/hopper/mainloop.cuh"
#include "core/hopper/tensor_map.h"
#include "core/host/device.cuh"
#include "core/host/dispatch.cuh"
#include "ops/matmul/matmul/problem.cuh"

namespace warpath::matmul::hopper {

using namespace warpath::hopper;

inline constexpr const char* copy_engine_needs =
    "copies boxes: needs a contiguous axis, and rows and matrices at multiples of 16 bytes";

// How an operand lies: `kept` is the axis that d keeps (1 of a, 2 of b), the other one is k.
struct Laid {
  MatrixStack stack;
  bool mn_major;  // the kept axis is the contiguous one
};
inline Laid laid(const Tensor& t, int kept) {
  const int k = 3 - kept;
  const bool unit = t.shape[kept] == 1 || t.stride[kept] == 1;
  const bool mn_major = unit && (t.shape[k] == 1 ? t.shape[kept] > 1 : t.stride[k] != 1);
  const int inner = mn_major ? kept : k, rows = 3 - inner;
  return {{t.dtype, t.data, t.shape[inner], t.shape[rows], t.shape[0], t.stride[rows], t.stride[0]},
          mn_major};
}
inline bool copies(const Tensor& t, int kept) {
  const Laid l = laid(t, kept);
  const int inner = l.mn_major ? kept : 3 - kept;
  return (t.shape[inner] == 1 || t.stride[inner] == 1) && fits_tensor_map(l.stack);
}

inline std::string supports(const Args& args) {
  if (const std::string why = any(args); !why.empty()) return why;
  if (args.d.size() == 0) return {};
  if (args.k() == 0) return "needs at least one product: k is 0";
  if (args.a.dtype == DType::f32 && !args.tf32)
    return "multiplies f32 as tf32 only, where the call allows it";
  if (!copies(args.a, 1) || !copies(args.b, 2)) return copy_engine_needs;
  if (args.a.dtype == DType::f32 && (laid(args.a, 1).mn_major || laid(args.b, 2).mn_major))
    return "wants k contiguous in both inputs of tf32";
  return {};
}

// Preferred: not where there is one tile of d per 16 SMs or fewer and a long k, which wants more
// parts than these rungs cut it into.
inline std::string enough_tiles(const Args& args) {
  const std::int64_t tiles = args.batch() * ceil_div(args.m(), 128) * ceil_div(args.n(), 256);
  if (16 * tiles > std::int64_t(multiprocessors()) || args.k() < 8192) return {};
  return "d has few tiles and k is long: cut into more parts, k keeps more SMs busy";
}

// The inputs' type and which of them are MN-major.
template <class T, bool AMnMajor, bool BMnMajor>
struct Form {};

template <class F>
void by_form(const Args& args, F f) {
  if (args.d.size() == 0) return;
  const bool a = laid(args.a, 1).mn_major, b = laid(args.b, 2).mn_major;
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

// Of d.
inline MatrixStack stack_of_d(const Args& args) {
  return {args.d.dtype, args.d.data, args.n(),           args.m(),
          args.batch(), args.n(),    args.m() * args.n()};
}
// The engine writes in pieces of 16 bytes, beyond the end of a row that is not made of them.
inline bool engine_stores(const MatrixStack& d) {
  return fits_tensor_map(d) && d.inner * std::int64_t(size_of(d.dtype)) % 16 == 0;
}
// An output that the engine does not take has no map, and the kernel does not look at it.
inline CUtensorMap map_of_d(const Args& args) {
  const MatrixStack d = stack_of_d(args);
  return engine_stores(d) ? tensor_map(d, patch_rows) : CUtensorMap{};
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
