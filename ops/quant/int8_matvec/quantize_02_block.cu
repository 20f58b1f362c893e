// One block of threads, one row, sixteen bytes per access where rows allow it.
//
// What changed: neighbouring threads read neighbours, and 256 threads share a row. The largest magnitude is a reduction of
// the block. The row is read a second time for its codes, mostly from L2.
// Limit: the memory.
#include "ops/quant/int8_matvec/problem.cuh"

namespace warpath::int8_matvec {
namespace {

constexpr int threads = 256;

template <class T, int N>
__global__ void __launch_bounds__(threads)
    block_each(const T* w, std::int64_t k, unsigned char* codes, float* scales) {
  __shared__ float slots[threads / 32];
  const std::int64_t j = blockIdx.x;
  w += j * k, codes += j * k;
  float most = 0;
  for (std::int64_t l = threadIdx.x * N; l < k; l += threads * N) {
    const Vector<T, N> in = load<N>(w + l);
#pragma unroll
    for (int e = 0; e < N; ++e) most = fmaxf(most, fabsf(to_float(in.at[e])));
  }
  most = block_reduce<threads>(most, Max{}, slots);
  const float factor = factor_of(most);
  for (std::int64_t l = threadIdx.x * N; l < k; l += threads * N) {
    const Vector<T, N> in = load_once<N>(w + l);
    Vector<unsigned char, N> out;
#pragma unroll
    for (int e = 0; e < N; ++e) out.at[e] = code_of(to_float(in.at[e]), factor);
    store<N>(codes + l, out);
  }
  if (threadIdx.x == 0) scales[j] = most / 127.0f;
}

void launch(const Quantize& args, cudaStream_t stream) {
  if (args.n() == 0) return;
  dispatch_float(args.w.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int N = lanes_of_16<T>;
    const bool vectors = args.w.is_aligned(16) && args.codes.is_aligned(N) && args.k() % N == 0;
    const auto kernel = vectors ? block_each<T, N> : block_each<T, 1>;
    kernel<<<static_cast<unsigned>(args.n()), threads, 0, stream>>>(
        args.w.as<T>(), args.k(), args.codes.as<unsigned char>(), args.scales.as<float>());
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string fits(const Quantize& args) {
  return args.n() <= max_grid_x ? "" : "more rows than a grid has blocks";
}

WARPATH_RUNG(Quantize, launch, .supports = fits);

}  // namespace
}  // namespace warpath::int8_matvec
