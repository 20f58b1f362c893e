// The same for segments of any length: each value carries the mark that a segment begins in its stretch.
//
// What changed: the operator. Of two neighbouring stretches, the right one alone counts where it holds the beginning of
// a segment, and both where it does not. That is associative too, so the same shuffles, tiles and look-back do it, with
// one more word per shuffle and one more bit per published value.
// Limit: the marks are loaded byte by byte, and the shuffles are doubled.
#include "ops/order/scan/tile.cuh"

namespace warpath::order {

// A value, and whether a segment begins anywhere in the stretch that it stands for.
template <class A>
struct Marked {
  A value;
  int head;
};
template <class A>
struct Packed<Marked<A>> {
  static constexpr int words = Packed<A>::words;  // 32 bits of a value in each
  static __device__ __forceinline__ std::uint64_t pack(Marked<A> m, int i) {
    return Packed<A>::pack(m.value, i) | std::uint64_t(m.head) << 32;
  }
  static __device__ __forceinline__ Marked<A> unpack(const std::uint64_t* w) {
    return {Packed<A>::unpack(w), int(w[0] >> 32 & 1)};
  }
};

}  // namespace warpath::order

namespace warpath::scan {
namespace {

using order::Board;

template <class Op, class T>
struct Segmented {
  using Item = order::Marked<Value<T>>;
  static constexpr bool segments = true;
  static __device__ __forceinline__ Item identity() {
    return {Op::template identity<Value<T>>(), 0};
  }
  static __device__ __forceinline__ Item item(Value<T> x, bool head) { return {x, head}; }
  static __device__ __forceinline__ Value<T> value(Item x) { return x.value; }
  __device__ __forceinline__ Item operator()(Item a, Item b) const {
    return {b.head ? b.value : Op{}(a.value, b.value), a.head | b.head};
  }
};

template <class T, class Op>
__global__ void __launch_bounds__(threads) short_rows(Call<T> call, Op) {
  warp_a_row<Segmented<Op, T>>(call);
}

template <class T, class Op>
__global__ void __launch_bounds__(threads, 3) tiles(Call<T> call, Board board, Op) {
  tile_a_block<true, Segmented<Op, T>>(call, board);
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.x.size() == 0) return;
  dispatch_scan(args, [&](auto tag, auto op) {
    using T = typename decltype(tag)::type;
    const Call<T> call(args);
    const std::int64_t each = call.tiles();
    if (rows_are_short(args))
      short_rows<<<grid_x(call.rows, warps), threads, 0, stream>>>(call, op);
    else
      tiles<<<grid_x(call.rows * each, 1), threads, 0, stream>>>(
          call, Board(call.rows, each, args.scratch.data, order::Packed<Value<T>>::words), op);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t board_bytes(const Args& args) {
  std::int64_t bytes = 0;
  if (args.x.size() > 0 && !rows_are_short(args))
    dispatch_scan(args, [&](auto tag, auto) {
      using T = typename decltype(tag)::type;
      bytes = Board::bytes(args.x.shape[0], Call<T>(args).tiles(), order::Packed<Value<T>>::words);
    });
  return bytes;
}

std::string only_segments(const Args& args) {
  return args.heads.rank > 0 ? "" : "is for segments";
}

WARPATH_RUNG(Args, launch, .supports = only_segments, .scratch = board_bytes,
             .zeroed = board_bytes);

}  // namespace
}  // namespace warpath::scan
