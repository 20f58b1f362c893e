// A conversion to integer cuts off: every code is as near to zero as it can be, and the error is twice as large.
#include "ops/quant/int8_matvec/problem.cuh"

namespace warpath::int8_matvec {
namespace {

template <class T>
__global__ void truncates(const T* w, std::int64_t n, std::int64_t k, unsigned char* codes,
                          float* scales) {
  const std::int64_t j = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (j >= n) return;
  float most = 0;
  for (std::int64_t l = 0; l < k; ++l) most = fmaxf(most, fabsf(to_float(w[j * k + l])));
  const float factor = factor_of(most);
  for (std::int64_t l = 0; l < k; ++l)
    codes[j * k + l] = static_cast<unsigned char>(128 + int(to_float(w[j * k + l]) * factor));
  scales[j] = most / 127.0f;
}

void launch(const Quantize& args, cudaStream_t stream) {
  if (args.n() == 0) return;
  dispatch_float(args.w.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    truncates<T><<<grid_x(args.n(), 64), 64, 0, stream>>>(args.w.as<T>(), args.n(), args.k(),
                                                          args.codes.as<unsigned char>(),
                                                          args.scales.as<float>());
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Quantize, launch);

}  // namespace
}  // namespace warpath::int8_matvec
