// Any strides: along another axis than the last a lane takes rows of its own, and blocks share the columns.
//
// What changed: the rungs before need rows without gaps. Here the strides decide who reads what. Where element i of
// neighbouring rows are neighbours in memory, 32 lanes with a row each read one piece of it, and no lane hands anything to
// another; a thread takes as many rows as 16 bytes hold. Otherwise the lanes take neighbouring elements of one row. Where there
// are too few rows for the GPU, blocks take stretches of the columns, and the last block of a group of rows joins the parts.
// The walk is in columns.cuh, which dot uses too.
// Limit: the memory, where one of the two directions is without gaps. Elements with gaps on all sides cost a sector each.
#include "ops/reduce/columns.cuh"
#include "ops/reduce/norm/kinds.cuh"

namespace warpath::norm {
namespace {

namespace by_columns = reduce::by_columns;

template <class T, class K>
struct Parts {
  using Element = T;
  using Op = typename K::Op;
  template <int N>
  using Chunk = Vector<T, N>;
  by_columns::View<T> x;
  T* y;
  K kind;

  __device__ __forceinline__ Parts from(std::int64_t row) const { return {x.from(row), y, kind}; }
  template <int N>
  __device__ __forceinline__ Chunk<N> load(std::int64_t c) const {
    return warpath::load<N>(x.column(c));
  }
  template <int N>
  __device__ __forceinline__ void join(const Chunk<N>& in, float (&part)[N]) const {
#pragma unroll
    for (int e = 0; e < N; ++e) part[e] = Op{}(part[e], kind(to_float(in.at[e])));
  }
  __device__ __forceinline__ void put(std::int64_t row, float part) const {
    y[row] = from_float<T>(kind.finish(part));
  }
};

by_columns::Plan plan_of(const Args& args) {
  const Tensor& x = args.x;
  const bool a_lane_a_row = x.shape[0] >= 8 && x.stride[0] == 1 && x.stride[1] != 1;
  const bool whole = a_lane_a_row && by_columns::in_vectors(x);
  return by_columns::plan_of(x, a_lane_a_row, whole ? 16 / int(size_of(x.dtype)) : 1);
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.x.shape[0] == 0) return;
  dispatch_norm(args, [&](auto tag, auto kind) {
    using T = typename decltype(tag)::type;
    const Parts<T, decltype(kind)> parts{by_columns::View<T>::of(args.x), args.y.as<T>(), kind};
    by_columns::launch(parts, plan_of(args), args.x, args.scratch.data, stream);
  });
}

std::int64_t counter_bytes(const Args& args) {
  return plan_of(args).counter_bytes();
}
std::int64_t scratch_bytes(const Args& args) {
  return plan_of(args).scratch_bytes(args.x.shape[0]);
}

std::string with_gaps(const Args& args) {
  return in_rows(args).empty() ? "04 is faster on rows without gaps" : "";
}

WARPATH_RUNG(Args, launch, .preferred = with_gaps, .scratch = scratch_bytes,
             .zeroed = counter_bytes);

}  // namespace
}  // namespace warpath::norm
