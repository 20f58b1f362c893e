// All of it in one walk over the rows: each block sums dweight over its own rows.
//
// What changed: as many blocks as fit the GPU, each of 256 threads, walk over the rows. For a row they
// make its sum, write dx, and add what the row gives to dweight to sums of their own in scratch memory. A
// second kernel adds up the blocks' sums in a fixed order.
// Limit: x and dy are read twice, one element per load; a block's sums pass through the cache for every
// row.
#include "core/block/reduce.cuh"
#include "core/host/dispatch.cuh"
#include "ops/norm/partial_sums.cuh"
#include "ops/norm/rms_norm/rms_norm.h"

namespace warpath::rms_norm {
namespace {

constexpr int threads = 256;

template <class T>
__global__ void __launch_bounds__(threads)
    walk(const T* x, const T* dy, const float* rstds, const T* weight, T* dx, float* partials,
         std::int64_t rows, std::int64_t cols) {
  __shared__ float slots[threads / 32];
  float* const dweight = partials + blockIdx.x * cols;
  for (std::int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const std::int64_t first = row * cols;
    const float rstd = rstds[row];
    float dot = 0;
    for (std::int64_t c = threadIdx.x; c < cols; c += threads) {
      const float g = to_float(dy[first + c]) * (weight ? to_float(weight[c]) : 1.0f);
      dot += g * to_float(x[first + c]) * rstd;
    }
    dot = block_reduce<threads>(dot, Sum{}, slots) / float(cols);
    const bool is_first = row == blockIdx.x;
    for (std::int64_t c = threadIdx.x; c < cols; c += threads) {
      const float d = to_float(dy[first + c]), n = to_float(x[first + c]) * rstd;
      const float g = d * (weight ? to_float(weight[c]) : 1.0f);
      dx[first + c] = from_float<T>(rstd * (g - n * dot));
      dweight[c] = d * n + (is_first ? 0.0f : dweight[c]);
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
          args.x.as<T>(), args.dy.as<T>(), args.rstd.as<float>(), args.weight.as<T>(),
          args.dx.as<T>(), static_cast<float*>(args.scratch.data), rows, cols);
    norm::launch_add_partials<T>(args.scratch.data, blocks, 1, args.dweight.as<T>(), nullptr, cols,
                                 stream);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t scratch_bytes(const Backward& args) {
  return norm::partial_bytes(blocks_of(args), 1, args.x.shape[1]);
}

WARPATH_RUNG(Backward, launch, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::rms_norm
