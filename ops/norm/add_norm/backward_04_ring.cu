// Rows are fetched ahead into shared memory, and the column sums stay in registers.
//
// What changed: 03 loads a row, waits for it, computes, stores, and only then asks for the next, so the
// memory rests while a row is reduced. Here every thread copies its own vectors of s, dy and ds by
// cp.async into its own places of a ring (backward_ring.cuh), one row ahead: three tensors leave room for
// two stages. The sums for dweight and dbias are in registers, because a thread has the same columns in
// every row. A row gets a warp, four warps or the whole block of 512 threads.
// Limit: the memory, for rows of up to 32 KiB.
#include "core/host/dispatch.cuh"
#include "ops/norm/add_norm/problem.cuh"
#include "ops/norm/backward_ring.cuh"

namespace warpath::add_norm {
namespace {

void launch(const Backward& args, cudaStream_t stream) {
  dispatch_float(args.s.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const norm::BackwardProblem<T> p = problem_of<T>(args);
    if (args.kind == Kind::layer)
      norm::launch_backward_ring<true, true>(p, stream);
    else
      norm::launch_backward_ring<false, true>(p, stream);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t scratch_bytes(const Backward& args) {
  return norm::backward_ring_scratch(args.s.shape[0], args.s.shape[1]);
}

std::string supports(const Backward& args) {
  return norm::ring_supports(args.s.dtype, args.s.shape[1], args.s.as<char>(), args.dy.as<char>(),
                             args.ds.as<char>(), args.weight.as<char>(), args.dx.as<char>());
}

std::string preferred(const Backward& args) {
  return size_of(args.s.dtype) == 2 ? "" : "no GPU has timed it in f32 yet: 03";
}

WARPATH_RUNG(Backward, launch, .supports = supports, .preferred = preferred,
             .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::add_norm
