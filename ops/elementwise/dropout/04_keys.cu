// What all elements share is computed once: the keys on the host, the rest for two vectors per thread.
//
// What changed: the keys of the ten rounds depend on the seed alone. They are made on the host and
// passed as kernel parameters, which instructions read as constants. A thread handles two vectors, so
// what is left of its fixed cost (addresses, loads of constants) is shared by twice the elements, and a
// call without a residual has a kernel without one. nvcc 13 makes about 170 instructions of it where
// rung 03 has 235, per warp and 256 bf16 elements. The words are the same.
// Limit: the memory; in 16 bits without a residual the instructions too, half of them Philox's.
#include "ops/elementwise/dropout/dropout.h"
#include "ops/elementwise/dropout/vector.cuh"

namespace warpath::dropout {
namespace {

constexpr int steps = 2;

void launch(const Forward& args, cudaStream_t stream) {
  const auto mask = mask_of(args, PhiloxKeys::of(static_cast<std::uint64_t>(args.seed)));
  if (args.x.size() == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int width = lanes_of_16<T>;
    if (args.residual.data)
      run_vectorised<T, width, steps, true>(args.x, args.residual, args.y, mask, stream);
    else
      run_vectorised<T, width, steps, false>(args.x, args.residual, args.y, mask, stream);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string fits(const Forward& args) {
  const bool aligned = all_aligned_16(args.x, args.residual, args.y);
  return aligned ? "" : "its tensors must start at multiples of 16 bytes";
}

WARPATH_RUNG(Forward, launch, .supports = fits);

}  // namespace
}  // namespace warpath::dropout
