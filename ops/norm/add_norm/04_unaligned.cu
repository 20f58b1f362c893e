// Rows that start anywhere take 16 bytes per access: groups of threads walk over rows of one alignment.
//
// What changed: rows that are no multiple of 16 bytes were read element by element in 03. Here a row is cut at the
// 16-byte boundaries of memory, and a group of threads takes only rows that start at the same distance from
// one, every eighth in 16-bit types (unaligned.cuh). So a thread has the same columns in each of its rows: it
// reads its weights and biases once and keeps them. Its vectors of x and residual are on their way by
// cp.async, two rows ahead; the sum takes the place of x until the row is normalised.
// Limit: what a row costs besides its bytes (a reduction, its edges), most of all in 16 bits, where the bytes
// are half as many. Rows of up to 32 KiB.
#include "core/host/dispatch.cuh"
#include "ops/norm/add_norm/problem.cuh"
#include "ops/norm/forward_unaligned.cuh"

namespace warpath::add_norm {
namespace {

void launch(const Forward& args, cudaStream_t stream) {
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const norm::ForwardProblem<T> p = problem_of<T>(args);
    if (args.kind == Kind::layer)
      norm::launch_forward_unaligned<true, true>(p, stream);
    else
      norm::launch_forward_unaligned<false, true>(p, stream);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string supports(const Forward& args) {
  return norm::forward_unaligned_takes<true, true>(args.x.dtype, args.x.shape[0], args.x.shape[1],
                                                   args.x.as<char>(), args.residual.as<char>(),
                                                   args.y.as<char>(), args.s.as<char>());
}

// On an H200, rows of 3073 floats took 9% longer than by 03.
std::string odd_rows(const Forward& args) {
  return norm::cut_rows(args.x) && size_of(args.x.dtype) == 2
             ? ""
             : "rows of whole vectors, and of f32, are faster by 03";
}

WARPATH_RUNG(Forward, launch, .supports = supports, .preferred = odd_rows);

}  // namespace
}  // namespace warpath::add_norm
