// One thread, one byte of codes, two weights.
//
// Limit: the tables are kernel parameters, so they lie in constant memory, which serves one address at a time: lanes with
// different codes wait for each other. A lane reads one byte and writes two weights, one after the other.
#include "ops/quant/nf4_quantize/dequantize.cuh"

namespace warpath::nf4_quantize {
namespace {

template <class T>
__global__ void naive(const Problem<T> p) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= p.blocks * (nf4::block / 2)) return;
  const unsigned byte = p.codes[i];
  const float factor = p.factor(i / (nf4::block / 2));
  p.w[2 * i] = from_float<T>(p.values.at[byte >> 4] * factor);
  p.w[2 * i + 1] = from_float<T>(p.values.at[byte & 15] * factor);
}

void launch(const Dequantize& args, cudaStream_t stream) {
  check_groups(args);
  if (args.blocks() == 0) return;
  dispatch_float(args.w.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    naive<T><<<grid_x(args.codes.size(), 256), 256, 0, stream>>>(problem_of<T>(args));
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Dequantize, launch);

}  // namespace
}  // namespace warpath::nf4_quantize
