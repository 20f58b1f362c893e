// The logarithm, the root, the sine and the cosine by the special function unit; keys from the host.
//
// What changed: each of the four functions is one instruction whose absolute error is near 2^-21. No
// statistic can see that, and it is far below the rounding of the 16-bit types. The keys of the ten
// rounds depend on the seed alone and come as kernel parameters, and a thread makes two vectors, so
// that what it does once is shared by twice the elements.
// Limit: the instructions, 25 per element: in f32 nearly all that the memory's time has room for, in 16
// bits, where an element is half the bytes and the same arithmetic, nearly twice as many.
#include "ops/random/noise/vector.cuh"

namespace warpath::noise {
namespace {

constexpr int steps = 2;

void launch(const Args& args, cudaStream_t stream) {
  const auto draw = draw_of(args, PhiloxKeys::of(static_cast<std::uint64_t>(args.seed)));
  if (args.y.size() == 0) return;
  dispatch_float(args.y.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    run_vectorised<T, lanes_of_16<T>, steps, true>(args, draw, stream);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string fits(const Args& args) {
  return args.y.is_aligned(16) ? "" : "its tensor must start at a multiple of 16 bytes";
}

WARPATH_RUNG(Args, launch, .supports = fits);

}  // namespace
}  // namespace warpath::noise
