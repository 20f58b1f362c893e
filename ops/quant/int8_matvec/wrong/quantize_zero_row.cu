// A row of zeros has no largest magnitude: 127 / 0 times 0 is NaN, and its code is anything.
#include "ops/quant/int8_matvec/problem.cuh"

namespace warpath::int8_matvec {
namespace {

template <class T>
__global__ void zero_row(const T* w, std::int64_t n, std::int64_t k, unsigned char* codes,
                         float* scales) {
  const std::int64_t j = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (j >= n) return;
  float most = 0;
  for (std::int64_t l = 0; l < k; ++l) most = fmaxf(most, fabsf(to_float(w[j * k + l])));
  const float factor = 127.0f / most;
  for (std::int64_t l = 0; l < k; ++l)
    codes[j * k + l] = static_cast<unsigned char>(128.5f + to_float(w[j * k + l]) * factor);
  scales[j] = most / 127.0f;
}

void launch(const Quantize& args, cudaStream_t stream) {
  if (args.n() == 0) return;
  dispatch_float(args.w.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    zero_row<T><<<grid_x(args.n(), 64), 64, 0, stream>>>(args.w.as<T>(), args.n(), args.k(),
                                                         args.codes.as<unsigned char>(),
                                                         args.scales.as<float>());
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Quantize, launch);

}  // namespace
}  // namespace warpath::int8_matvec
