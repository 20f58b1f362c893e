// An element on the last edge gets the bin after the last one: its count goes to whoever owns that memory.
#include "ops/reduce/histogram/bins.cuh"

namespace warpath::histogram {
namespace {

template <class T>
__global__ void last_edge(const T* x, const float* edges, Count* y, std::int64_t n, int bins) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float first = edges[0], last = edges[bins], value = float(x[i]);
  if (value >= first && value <= last)
    atomicAdd(&y[int((value - first) * (float(bins) / (last - first)))], Count(1));
}

void launch(const Args& args, cudaStream_t stream) {
  if (bins_of(args) == 0) return;
  clear(args, stream);
  if (args.x.size() == 0) return;
  dispatch_type(args, [&](auto tag) {
    using T = typename decltype(tag)::type;
    last_edge<T><<<grid_x(args.x.size(), 256), 256, 0, stream>>>(
        args.x.as<const T>(), args.edges.as<float>(), args.y.as<Count>(), args.x.size(),
        bins_of(args));
  });
}

std::string supports(const Args& args) {
  return args.spacing == Spacing::uniform ? "" : "takes uniform bins";
}

WARPATH_RUNG(Args, launch, .supports = supports);

}  // namespace
}  // namespace warpath::histogram
