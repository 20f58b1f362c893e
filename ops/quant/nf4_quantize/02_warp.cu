// One warp, one block: a lane has two neighbouring weights and makes one byte of them.
//
// What changed: the warp reads 64 neighbours at once and keeps them in registers, so every weight is read once. The largest
// magnitude comes by shuffles, and 32 lanes write 32 neighbouring bytes.
// Limit: small accesses, 4 bytes per lane of 16-bit weights and 1 byte back, and five shuffles for each pair of weights.
#include "ops/quant/nf4_quantize/quantize.cuh"

namespace warpath::nf4_quantize {
namespace {

constexpr int warps = 8;  // of a block of threads

template <class T>
__global__ void __launch_bounds__(32 * warps)
    warp_each(const T* w, std::int64_t blocks, WeightMidpoints middle, unsigned char* codes,
              float* most) {
  const std::int64_t b = std::int64_t(blockIdx.x) * warps + threadIdx.x / 32;
  if (b >= blocks) return;
  const int lane = threadIdx.x % 32;
  const float first = to_float(w[b * nf4::block + 2 * lane]);
  const float second = to_float(w[b * nf4::block + 2 * lane + 1]);
  const float largest = warp_reduce(fmaxf(fabsf(first), fabsf(second)), Max{});
  const float factor = reciprocal_of(largest);
  codes[b * (nf4::block / 2) + lane] = static_cast<unsigned char>(
      code_of(first * factor, middle) << 4 | code_of(second * factor, middle));
  if (lane == 0) most[b] = largest;
}

void launch(const Quantize& args, cudaStream_t stream) {
  check_groups(args);
  if (args.blocks() > 0)
    dispatch_float(args.w.dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      warp_each<T><<<grid_x(args.blocks(), warps), 32 * warps, 0, stream>>>(
          args.w.as<T>(), args.blocks(), weight_midpoints, args.codes.as<unsigned char>(),
          static_cast<float*>(args.scratch.data));
    });
  launch_second_level(args, stream);
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Quantize, launch, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::nf4_quantize
