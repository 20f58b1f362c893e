// Eight lanes, one block: a lane has eight neighbouring weights, and writes four bytes at once.
//
// What changed: 16 bytes per access (two of them for f32), four blocks per warp, three shuffles for eight weights in place of
// five for two.
// Limit: the instructions: fifteen comparisons and additions per weight; then the mean, by one block of threads. Weights that
// do not start at a multiple of 16 bytes are rung 02's.
#include "ops/quant/nf4_quantize/quantize.cuh"

namespace warpath::nf4_quantize {
namespace {

constexpr int threads = 256;
constexpr int lanes = 8;                  // of a block of weights
constexpr int each = nf4::block / lanes;  // weights of a lane

template <class T>
__global__ void __launch_bounds__(threads)
    vectorised(const T* w, std::int64_t blocks, WeightMidpoints middle, unsigned char* codes,
               float* most) {
  constexpr int N = lanes_of_16<T> < each ? lanes_of_16<T> : each;
  const std::int64_t i = std::int64_t(blockIdx.x) * threads + threadIdx.x, b = i / lanes;
  const bool inside = b < blocks;  // all lanes take part in the shuffles
  float x[each] = {};
  float largest = 0;
  if (inside) {
#pragma unroll
    for (int v = 0; v < each; v += N) {
      const Vector<T, N> in = load_once<N>(w + i * each + v);
#pragma unroll
      for (int e = 0; e < N; ++e) {
        x[v + e] = to_float(in.at[e]);
        largest = fmaxf(largest, fabsf(x[v + e]));
      }
    }
  }
  largest = warp_reduce<lanes>(largest, Max{});
  if (!inside) return;
  const float factor = reciprocal_of(largest);
  unsigned word = 0;  // the first byte in its low end
#pragma unroll
  for (int e = 0; e < each; ++e)
    word |= code_of(x[e] * factor, middle) << (e / 2 * 8 + (e % 2 ? 0 : 4));
  reinterpret_cast<unsigned*>(codes)[i] = word;
  if (i % lanes == 0) most[b] = largest;
}

void launch(const Quantize& args, cudaStream_t stream) {
  check_groups(args);
  if (args.blocks() > 0)
    dispatch_float(args.w.dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      vectorised<T><<<grid_x(args.blocks() * lanes, threads), threads, 0, stream>>>(
          args.w.as<T>(), args.blocks(), weight_midpoints, args.codes.as<unsigned char>(),
          static_cast<float*>(args.scratch.data));
    });
  launch_second_level(args, stream);
  CUDA_CHECK(cudaGetLastError());
}

std::string aligned(const Quantize& args) {
  if (args.w.is_aligned(16) && args.codes.is_aligned(4)) return {};
  return "w must start at a multiple of 16 bytes, codes at one of 4";
}

WARPATH_RUNG(Quantize, launch, .supports = aligned, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::nf4_quantize
