// One thread, one weight.
//
// Limit: small accesses, one byte per lane in and one weight out, and a 64-bit division to find the row.
#include "ops/quant/int8_matvec/problem.cuh"

namespace warpath::int8_matvec {
namespace {

template <class T>
__global__ void naive(const unsigned char* codes, const float* scales, T* w, std::int64_t n,
                      std::int64_t k) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n * k) w[i] = from_float<T>(float(int(codes[i]) - 128) * scales[i / k]);
}

void launch(const Dequantize& args, cudaStream_t stream) {
  if (args.w.size() == 0) return;
  dispatch_float(args.w.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    naive<T><<<grid_x(args.w.size(), 256), 256, 0, stream>>>(args.codes.as<unsigned char>(),
                                                             args.scales.as<float>(),
                                                             args.w.as<T>(), args.n(), args.k());
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Dequantize, launch);

}  // namespace
}  // namespace warpath::int8_matvec
