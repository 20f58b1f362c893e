// One thread, one row: it looks for the largest magnitude, then walks again and writes the codes.
//
// Limit: scattered accesses. Neighbouring threads read rows that lie k elements apart, and a matrix of a few thousand rows
// has too few threads.
#include "ops/quant/int8_matvec/problem.cuh"

namespace warpath::int8_matvec {
namespace {

template <class T>
__global__ void naive(const T* w, std::int64_t n, std::int64_t k, unsigned char* codes,
                      float* scales) {
  const std::int64_t j = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (j >= n) return;
  float most = 0;
  for (std::int64_t l = 0; l < k; ++l) most = fmaxf(most, fabsf(to_float(w[j * k + l])));
  const float factor = factor_of(most);
  for (std::int64_t l = 0; l < k; ++l) codes[j * k + l] = code_of(to_float(w[j * k + l]), factor);
  scales[j] = most / 127.0f;
}

void launch(const Quantize& args, cudaStream_t stream) {
  if (args.n() == 0) return;
  dispatch_float(args.w.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    naive<T><<<grid_x(args.n(), 64), 64, 0, stream>>>(args.w.as<T>(), args.n(), args.k(),
                                                      args.codes.as<unsigned char>(),
                                                      args.scales.as<float>());
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Quantize, launch);

}  // namespace
}  // namespace warpath::int8_matvec
