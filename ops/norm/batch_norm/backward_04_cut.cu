// Planes that start anywhere, 16 bytes per load.
//
// What changed: as forward 05. Each plane has its own threads, and is cut at the 16-byte boundaries (planes_cut.cuh); its two sums are one
// part of those of its channel and its group. 02 takes such planes one element per load.
// Limit: x and dy are read twice, and four launches for little work each.
#include "core/host/dispatch.cuh"
#include "ops/norm/batch_norm/problem.cuh"
#include "ops/norm/planes_cut.cuh"

namespace warpath::batch_norm {
namespace {

void launch(const Backward& args, cudaStream_t stream) {
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    norm::launch_cut_backward(problem<T>(args), args.scratch.data, stream);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t scratch_bytes(const Backward& args) {
  return norm::cut_backward_scratch(args.shape());
}
std::string supports(const Backward& args) {
  return norm::cut_takes(args.shape(), size_of(args.x.dtype), norm::most_threads / 2,
                         args.x.as<char>(), args.dy.as<char>(), args.dx.as<char>());
}
std::string preferred(const Backward& args) {
  return norm::cut_timed(args.x.dtype);
}

WARPATH_RUNG(Backward, launch, .supports = supports, .preferred = preferred,
             .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::batch_norm
