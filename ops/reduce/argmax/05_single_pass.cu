// One launch: the last block to finish a row picks the best of that row's pairs. Short rows get one warp each, or a few.
//
// What changed: a block that has written its pair counts itself; the one that finds itself last reads all of them and looks
// the element up (core/block/last_block.cuh). The winner does not depend on which block that is, because of equal values the
// lower place wins. Rows shorter than a round of a block's loads are taken by one, four or eight warps each.
// Limit: the memory.
#include "core/block/last_block.cuh"
#include "ops/reduce/argmax/vectors.cuh"

namespace warpath::argmax {
namespace {

template <class T>
__global__ void __launch_bounds__(threads, blocks_an_sm)
    single_pass(View<T> in, std::int64_t* y, std::int64_t cols, reduce::Split split,
                Best<reduce::Accumulator<T>>* partials, unsigned* done) {
  using B = Best<reduce::Accumulator<T>>;
  __shared__ B slots[threads / 32];
  __shared__ bool is_last;
  const std::int64_t row = blockIdx.x / split.blocks_a_row;
  const std::int64_t part = blockIdx.x % split.blocks_a_row;
  const std::int64_t first = part * split.elements_a_block;
  const std::int64_t n = min(split.elements_a_block, cols - first);
  const T* const x = in.x + row * in.row_stride;
  B mine = reduce::reduce_stretch<threads, unroll>(Vectors<T>{x + first, first, in.flip}, n);
  B best = block_reduce<threads>(mine, Better{}, slots);

  if (split.blocks_a_row > 1) {
    B* const row_partials = partials + row * split.blocks_a_row;
    if (threadIdx.x == 0) row_partials[part] = best;
    if (!is_last_block(&done[row], unsigned(split.blocks_a_row), is_last)) return;
    mine = nothing<reduce::Accumulator<T>>();
#pragma unroll 4
    for (std::int64_t k = threadIdx.x; k < split.blocks_a_row; k += threads)
      mine = Better{}(mine, B{__ldcg(&row_partials[k].value), __ldcg(&row_partials[k].at)});
    best = block_reduce<threads>(mine, Better{}, slots);
    if (threadIdx.x == 0) atomicExch(&done[row], 0u);  // for the next launch
  }
  if (threadIdx.x == 0) y[row] = place_of(x, cols, in.flip, best);
}

// `Warps` warps per row, four loads in flight per thread.
template <int Warps, class T>
__global__ void __launch_bounds__(32 * reduce::block_warps)
    warps_a_row(View<T> in, std::int64_t* y, std::int64_t rows, std::int64_t cols, bool aligned) {
  using B = Best<reduce::Accumulator<T>>;
  constexpr int step = 32 * Warps;
  __shared__ B slots[reduce::block_warps];
  const int thread = threadIdx.x % step;
  const std::int64_t row =
      std::int64_t(blockIdx.x) * (reduce::block_warps / Warps) + threadIdx.x / step;
  const std::int64_t n = row < rows ? cols : 0;  // no early return: a barrier follows
  const T* const x = in.x + row * in.row_stride;
  const B mine = reduce::reduce_share<step, 4>(Vectors<T>{x, 0, in.flip}, n, thread, aligned);
  const B best = reduce::join_warps<Warps>(mine, Better{}, slots);
  if (thread == 0 && row < rows) y[row] = place_of(x, cols, in.flip, best);
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows == 0) return;
  dispatch_type(args, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const View<T> in = View<T>::of(args);
    auto* const y = args.y.as<std::int64_t>();
    if (reduce::rows_are_short(build<T>, rows, cols)) {
      constexpr int E = lanes_of_16<T>;
      const bool aligned = cols % E == 0 && in.row_stride % E == 0 && all_aligned(16, in.x);
      const auto run = [&](auto warps) {
        constexpr int each = decltype(warps)::value, block = 32 * reduce::block_warps;
        warps_a_row<each><<<grid_x(rows, reduce::block_warps / each), block, 0, stream>>>(
            in, y, rows, cols, aligned);
      };
      const int warps = reduce::warps_for(build<T>, cols);
      if (warps == 8)
        run(std::integral_constant<int, 8>{});
      else if (warps == 4)
        run(std::integral_constant<int, 4>{});
      else
        run(std::integral_constant<int, 1>{});
      return;
    }
    using B = Best<reduce::Accumulator<T>>;
    const reduce::Split split = reduce::split_in_order(build<T>, rows, cols);
    auto* const done = static_cast<unsigned*>(args.scratch.data);
    auto* const partials = static_cast<B*>(args.scratch.data) +
                           reduce::counter_bytes(build<T>, rows, cols) / sizeof(B);
    single_pass<<<grid_x(rows * split.blocks_a_row, 1), threads, 0, stream>>>(in, y, cols, split,
                                                                              partials, done);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t counter_bytes(const Args& args) {
  return reduce::counter_bytes(build_of(args), args.x.shape[0], args.x.shape[1]);
}
std::int64_t scratch_bytes(const Args& args) {
  return counter_bytes(args) +
         reduce::partials_of(build_of(args), args.x.shape[0], args.x.shape[1]) * 16;
}

std::string preferred(const Args& args) {
  return args.x.shape[0] < 128 || args.x.shape[1] < 65536
             ? ""
             : "many long rows: 04 is 11% faster for 256x128256";
}

WARPATH_RUNG(Args, launch, .supports = in_rows, .preferred = preferred, .scratch = scratch_bytes,
             .zeroed = counter_bytes);

}  // namespace
}  // namespace warpath::argmax
