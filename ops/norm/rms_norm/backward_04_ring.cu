// Rows are fetched ahead into shared memory, and the column sums stay in registers.
//
// What changed: 03 loads a row, waits for it, computes, stores, and only then asks for the next, so the
// memory rests while a row is reduced. Here every thread copies its own vectors of x and dy by cp.async
// into its own places of a ring (backward_ring.cuh), two rows ahead: the copies go on during reductions
// and stores, and need no barrier, because nobody reads what another thread fetched. A thread has the
// same columns in every row, so its part of dweight is a sum in registers; 03 adds in shared memory. A
// row gets a warp, four warps or the whole block of 512 threads.
// Limit: the memory, for rows of up to 32 KiB.
#include "core/host/dispatch.cuh"
#include "ops/norm/backward_ring.cuh"
#include "ops/norm/rms_norm/problem.cuh"

namespace warpath::rms_norm {
namespace {

void launch(const Backward& args, cudaStream_t stream) {
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const norm::BackwardProblem<T> p = problem_of<T>(args);
    norm::launch_backward_ring<false, false>(p, stream);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t scratch_bytes(const Backward& args) {
  return norm::backward_ring_scratch(args.x.shape[0], args.x.shape[1]);
}

std::string supports(const Backward& args) {
  return norm::ring_supports(args.x.dtype, args.x.shape[1], args.x.as<char>(), args.dy.as<char>(),
                             args.weight.as<char>(), args.dx.as<char>());
}

std::string preferred(const Backward& args) {
  return size_of(args.x.dtype) == 2 ? "" : "03 reaches the memory's rate in f32";
}

WARPATH_RUNG(Backward, launch, .supports = supports, .preferred = preferred,
             .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::rms_norm
