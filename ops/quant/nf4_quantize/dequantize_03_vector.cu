// Sixteen bytes of weights per access: a lane turns one word of codes into eight weights.
//
// What changed: a warp reads 128 bytes of codes at once and writes 512 bytes of 16-bit weights in one instruction (two for
// f32). A lane makes eight weights with one factor.
// Limit: the memory; nearly all of it is the weights that are written. Arrays that do not start at multiples of 16 bytes are
// rung 02's.
#include "ops/quant/nf4_quantize/dequantize.cuh"

namespace warpath::nf4_quantize {
namespace {

constexpr int threads = 256;
constexpr int each = 8;                   // weights of a lane
constexpr int lanes = nf4::block / each;  // of a block of weights

template <class T>
__global__ void __launch_bounds__(threads) vectorised(const Problem<T> p) {
  __shared__ float values[16];
  if (threadIdx.x < 16) values[threadIdx.x] = p.values.at[threadIdx.x];
  __syncthreads();
  constexpr int N = lanes_of_16<T> < each ? lanes_of_16<T> : each;
  const std::int64_t i = std::int64_t(blockIdx.x) * threads + threadIdx.x;
  if (i >= p.blocks * lanes) return;
  const unsigned word = __ldcs(reinterpret_cast<const unsigned*>(p.codes) + i);
  const float factor = p.factor(i / lanes);
#pragma unroll
  for (int v = 0; v < each; v += N) {
    Vector<T, N> out;
#pragma unroll
    for (int e = 0; e < N; ++e) {
      const int at = v + e;
      const unsigned code = word >> (at / 2 * 8 + (at % 2 ? 0 : 4)) & 15;
      out.at[e] = from_float<T>(values[code] * factor);
    }
    store<N>(p.w + i * each + v, out);
  }
}

void launch(const Dequantize& args, cudaStream_t stream) {
  check_groups(args);
  if (args.blocks() == 0) return;
  dispatch_float(args.w.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    vectorised<T>
        <<<grid_x(args.blocks() * lanes, threads), threads, 0, stream>>>(problem_of<T>(args));
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string aligned(const Dequantize& args) {
  if (args.w.is_aligned(16) && args.codes.is_aligned(4)) return {};
  return "w must start at a multiple of 16 bytes, codes at one of 4";
}

WARPATH_RUNG(Dequantize, launch, .supports = aligned);

}  // namespace
}  // namespace warpath::nf4_quantize
