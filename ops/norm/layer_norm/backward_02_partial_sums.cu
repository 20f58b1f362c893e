// All of it in one walk over the rows: each block sums dweight and dbias over its own rows.
//
// What changed: as many blocks as fit the GPU, each of 256 threads, walk over the rows. For a row they
// make its two sums, write dx, and add what the row gives to dweight and dbias to sums of their own in
// scratch memory. A second kernel adds up the blocks' sums in a fixed order. Atomic additions would
// need no second kernel, but their order, and so the last bits, would change from run to run.
// Limit: x and dy are read twice, one element per load; a block's sums pass through the cache for
// every row: 16 bytes per column, more than x, dy and dx together in 16 bits.
#include "core/block/reduce.cuh"
#include "core/host/dispatch.cuh"
#include "ops/norm/layer_norm/layer_norm.h"
#include "ops/norm/partial_sums.cuh"

namespace warpath::layer_norm {
namespace {

constexpr int threads = 256;

template <class T>
__global__ void __launch_bounds__(threads)
    walk(const T* x, const T* dy, const float* means, const float* rstds, const T* weight, T* dx,
         float* partials, std::int64_t rows, std::int64_t cols) {
  __shared__ float sum_slots[threads / 32], dot_slots[threads / 32];
  float* const dweight = partials + blockIdx.x * 2 * cols;
  float* const dbias = dweight + cols;
  for (std::int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const std::int64_t first = row * cols;
    const float mean = means[row], rstd = rstds[row];
    float sum = 0, dot = 0;
    for (std::int64_t c = threadIdx.x; c < cols; c += threads) {
      const float g = to_float(dy[first + c]) * (weight ? to_float(weight[c]) : 1.0f);
      sum += g;
      dot += g * (to_float(x[first + c]) - mean) * rstd;
    }
    sum = block_reduce<threads>(sum, Sum{}, sum_slots) / float(cols);
    dot = block_reduce<threads>(dot, Sum{}, dot_slots) / float(cols);
    const bool is_first = row == blockIdx.x;
    for (std::int64_t c = threadIdx.x; c < cols; c += threads) {
      const float d = to_float(dy[first + c]), n = (to_float(x[first + c]) - mean) * rstd;
      const float g = d * (weight ? to_float(weight[c]) : 1.0f);
      dx[first + c] = from_float<T>(rstd * (g - sum - n * dot));
      dweight[c] = d * n + (is_first ? 0.0f : dweight[c]);
      dbias[c] = d + (is_first ? 0.0f : dbias[c]);
    }
    __syncthreads();  // all have read the slots before the next row writes them
  }
}

unsigned blocks_of(const Backward& args) {
  return norm::walking_blocks(args.x.shape[0], dim3(threads));
}

void launch(const Backward& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (cols == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const unsigned blocks = blocks_of(args);
    if (blocks > 0)
      walk<T><<<blocks, threads, 0, stream>>>(
          args.x.as<T>(), args.dy.as<T>(), args.mean.as<float>(), args.rstd.as<float>(),
          args.weight.as<T>(), args.dx.as<T>(), static_cast<float*>(args.scratch.data), rows, cols);
    norm::launch_add_partials(args.scratch.data, blocks, 2, args.dweight.as<T>(),
                              args.dbias.as<T>(), cols, stream);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t scratch_bytes(const Backward& args) {
  return norm::partial_bytes(blocks_of(args), 2, args.x.shape[1]);
}

WARPATH_RUNG(Backward, launch, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::layer_norm
