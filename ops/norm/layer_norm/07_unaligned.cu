// Rows that start anywhere take 16 bytes per access: groups of threads walk over rows of one alignment.
//
// What changed: rows that are no multiple of 16 bytes were read element by element in 05. Here a row is cut at the
// 16-byte boundaries of memory, and a group of threads takes only rows that start at the same distance from
// one, every eighth in 16-bit types (unaligned.cuh). So a thread has the same columns in each of its rows: it
// reads its weights and biases once and keeps them. Its vectors of the next two rows are on their way by
// cp.async while a row is summed and written.
// Limit: what a row costs besides its bytes (a reduction, its edges), most of all in 16 bits, where the bytes
// are half as many. Rows of up to 48 KiB.
#include "core/host/dispatch.cuh"
#include "ops/norm/forward_unaligned.cuh"
#include "ops/norm/layer_norm/problem.cuh"

namespace warpath::layer_norm {
namespace {

void launch(const Forward& args, cudaStream_t stream) {
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const norm::ForwardProblem<T> p = problem_of<T>(args);
    norm::launch_forward_unaligned<true, false>(p, stream);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string supports(const Forward& args) {
  return norm::forward_unaligned_takes<true, false>(args.x.dtype, args.x.shape[0], args.x.shape[1],
                                                    args.x.as<char>(), args.y.as<char>());
}

std::string odd_rows(const Forward& args) {
  return norm::cut_rows(args.x) ? "" : "rows of whole vectors are faster by 05";
}

WARPATH_RUNG(Forward, launch, .supports = supports, .preferred = odd_rows);

}  // namespace
}  // namespace warpath::layer_norm
