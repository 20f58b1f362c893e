// One thread, one block of 64 weights: it looks for the largest, then walks again and writes 32 bytes.
//
// The second level takes two more kernels: the mean of all maxima, then the groups of 256 (quantize.cuh).
// Limit: scattered accesses. Neighbouring threads read weights that lie 64 elements apart, and every weight is read twice.
#include "ops/quant/nf4_quantize/quantize.cuh"

namespace warpath::nf4_quantize {
namespace {

template <class T>
__global__ void naive(const T* w, std::int64_t blocks, WeightMidpoints middle, unsigned char* codes,
                      float* most) {
  const std::int64_t b = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (b >= blocks) return;
  const T* const mine = w + b * nf4::block;
  float largest = 0;
  for (int i = 0; i < nf4::block; ++i) largest = fmaxf(largest, fabsf(to_float(mine[i])));
  const float factor = reciprocal_of(largest);
  for (int i = 0; i < nf4::block; i += 2) {
    const unsigned high = code_of(to_float(mine[i]) * factor, middle);
    const unsigned low = code_of(to_float(mine[i + 1]) * factor, middle);
    codes[b * (nf4::block / 2) + i / 2] = static_cast<unsigned char>(high << 4 | low);
  }
  most[b] = largest;
}

void launch(const Quantize& args, cudaStream_t stream) {
  check_groups(args);
  if (args.blocks() > 0)
    dispatch_float(args.w.dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      naive<T><<<grid_x(args.blocks(), 128), 128, 0, stream>>>(
          args.w.as<T>(), args.blocks(), weight_midpoints, args.codes.as<unsigned char>(),
          static_cast<float*>(args.scratch.data));
    });
  launch_second_level(args, stream);
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Quantize, launch, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::nf4_quantize
