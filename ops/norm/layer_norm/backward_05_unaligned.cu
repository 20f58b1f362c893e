// Rows that start anywhere take 16 bytes per access: groups of threads walk over rows of one alignment.
//
// What changed: 04 takes rows that are a multiple of 16 bytes, and 03 reads the others element by element. Here a
// row is cut at the 16-byte boundaries of memory, and a group of threads takes only rows that start at the same
// distance from one, every eighth in 16-bit types (unaligned.cuh). So a thread has the same columns in each of
// its rows: its weights and its sums for dweight and dbias stay in registers, as in 04, and its vectors of
// x and dy are on their way by cp.async, two rows ahead.
// Limit: what a row costs besides its bytes (a reduction, its edges), most of all in 16 bits, where the bytes
// are half as many. Rows of up to 32 KiB.
#include "core/host/dispatch.cuh"
#include "ops/norm/backward_unaligned.cuh"
#include "ops/norm/layer_norm/problem.cuh"

namespace warpath::layer_norm {
namespace {

void launch(const Backward& args, cudaStream_t stream) {
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const norm::BackwardProblem<T> p = problem_of<T>(args);
    norm::launch_backward_unaligned<true, false>(p, stream);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t scratch_bytes(const Backward& args) {
  return norm::backward_unaligned_scratch<false>(args.x.shape[0], args.x.shape[1], args.x.dtype);
}

std::string supports(const Backward& args) {
  return norm::backward_unaligned_takes<false>(args.x.dtype, args.x.shape[0], args.x.shape[1],
                                               args.x.as<char>(), args.dy.as<char>(),
                                               args.dx.as<char>());
}

std::string odd_rows(const Backward& args) {
  return norm::cut_rows(args.x) ? "" : "rows of whole vectors are faster by 03 or 04";
}

WARPATH_RUNG(Backward, launch, .supports = supports, .preferred = odd_rows,
             .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::layer_norm
