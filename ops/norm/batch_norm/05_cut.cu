// Planes that start anywhere, 16 bytes per load.
//
// What changed: planes of 27 x 27 elements are no whole number of vectors; 03 takes them one element per load, and 04 not at all. Here each plane
// has its own threads, a warp for 27 x 27 elements and three for 55 x 55, and is cut at the 16-byte boundaries (planes_cut.cuh). A
// plane's moments are one part of those of its channel.
// Limit: x is read twice, and three launches for little work each.
#include "core/host/dispatch.cuh"
#include "ops/norm/batch_norm/problem.cuh"
#include "ops/norm/planes_cut.cuh"

namespace warpath::batch_norm {
namespace {

void launch(const Forward& args, cudaStream_t stream) {
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    norm::launch_cut_forward(problem<T>(args), args.scratch.data, stream);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t scratch_bytes(const Forward& args) {
  return norm::cut_forward_scratch(args.shape());
}
std::string supports(const Forward& args) {
  return norm::cut_takes(args.shape(), size_of(args.x.dtype), norm::most_threads, args.x.as<char>(),
                         args.y.as<char>());
}
std::string preferred(const Forward& args) {
  return norm::cut_timed(args.x.dtype);
}

WARPATH_RUNG(Forward, launch, .supports = supports, .preferred = preferred,
             .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::batch_norm
