// The sixteen values in shared memory: they lie in sixteen banks, so lanes never wait for each other.
//
// What changed: lanes that want the same value are served together, and different values are in different banks. The map of
// 256 is asked once per 32 bytes, where all lanes of a warp have the same block and want the same word.
// Limit: small accesses, one byte per lane in and two weights out.
#include "ops/quant/nf4_quantize/dequantize.cuh"

namespace warpath::nf4_quantize {
namespace {

constexpr int threads = 256;

template <class T>
__global__ void __launch_bounds__(threads) shared_table(const Problem<T> p) {
  __shared__ float values[16];
  if (threadIdx.x < 16) values[threadIdx.x] = p.values.at[threadIdx.x];
  __syncthreads();
  const std::int64_t i = std::int64_t(blockIdx.x) * threads + threadIdx.x;
  if (i >= p.blocks * (nf4::block / 2)) return;
  const unsigned byte = p.codes[i];
  const float factor = p.factor(i / (nf4::block / 2));
  p.w[2 * i] = from_float<T>(values[byte >> 4] * factor);
  p.w[2 * i + 1] = from_float<T>(values[byte & 15] * factor);
}

void launch(const Dequantize& args, cudaStream_t stream) {
  check_groups(args);
  if (args.blocks() == 0) return;
  dispatch_float(args.w.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    shared_table<T>
        <<<grid_x(args.codes.size(), threads), threads, 0, stream>>>(problem_of<T>(args));
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Dequantize, launch);

}  // namespace
}  // namespace warpath::nf4_quantize
