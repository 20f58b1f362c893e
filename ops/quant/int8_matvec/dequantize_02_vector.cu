// Sixteen bytes of weights per access: a lane turns eight codes into eight weights.
//
// What changed: 8 bytes in and 16 bytes of 16-bit weights out (two times that for f32), one division to find the row for
// eight weights. Rows that are not whole vectors are rung 01's.
// Limit: the memory; most of it is the weights that are written.
#include "ops/quant/int8_matvec/problem.cuh"

namespace warpath::int8_matvec {
namespace {

constexpr int threads = 256;
constexpr int each = 8;  // weights of a lane

template <class T>
__global__ void __launch_bounds__(threads)
    vectorised(const unsigned char* codes, const float* scales, T* w, std::int64_t vectors,
               std::int64_t of_row) {
  const std::int64_t i = std::int64_t(blockIdx.x) * threads + threadIdx.x;
  if (i >= vectors) return;
  constexpr int N = lanes_of_16<T> < each ? lanes_of_16<T> : each;
  const Vector<unsigned char, each> in = load_once<each>(codes + i * each);
  const float scale = scales[i / of_row];
#pragma unroll
  for (int v = 0; v < each; v += N) {
    Vector<T, N> out;
#pragma unroll
    for (int e = 0; e < N; ++e) out.at[e] = from_float<T>(float(int(in.at[v + e]) - 128) * scale);
    store<N>(w + i * each + v, out);
  }
}

void launch(const Dequantize& args, cudaStream_t stream) {
  if (args.w.size() == 0) return;
  dispatch_float(args.w.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const std::int64_t vectors = args.w.size() / each;
    vectorised<T><<<grid_x(vectors, threads), threads, 0, stream>>>(
        args.codes.as<unsigned char>(), args.scales.as<float>(), args.w.as<T>(), vectors,
        args.k() / each);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string in_vectors(const Dequantize& args) {
  if (args.w.is_aligned(16) && args.codes.is_aligned(8) && args.k() % each == 0) return {};
  return "k must be a multiple of 8, w start at one of 16 bytes and codes at one of 8";
}

WARPATH_RUNG(Dequantize, launch, .supports = in_vectors);

}  // namespace
}  // namespace warpath::int8_matvec
