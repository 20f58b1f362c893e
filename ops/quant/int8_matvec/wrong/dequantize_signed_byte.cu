// A code is read as a signed byte: its top bit is that of a sign here, not turned over.
#include "ops/quant/int8_matvec/problem.cuh"

namespace warpath::int8_matvec {
namespace {

template <class T>
__global__ void signed_byte(const unsigned char* codes, const float* scales, T* w, std::int64_t n,
                            std::int64_t k) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n * k) w[i] = from_float<T>(float(static_cast<signed char>(codes[i])) * scales[i / k]);
}

void launch(const Dequantize& args, cudaStream_t stream) {
  if (args.w.size() == 0) return;
  dispatch_float(args.w.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    signed_byte<T><<<grid_x(args.w.size(), 256), 256, 0, stream>>>(
        args.codes.as<unsigned char>(), args.scales.as<float>(), args.w.as<T>(), args.n(),
        args.k());
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Dequantize, launch);

}  // namespace
}  // namespace warpath::int8_matvec
