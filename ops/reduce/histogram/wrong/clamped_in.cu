// Clamping keeps every index inside, and counts in the first and the last bin what is in none of them; NaN becomes 0.
#include "ops/reduce/histogram/bins.cuh"

namespace warpath::histogram {
namespace {

template <class T>
__global__ void clamped_in(const T* x, const float* edges, Count* y, std::int64_t n, int bins) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float first = edges[0], last = edges[bins];
  const float place = (float(x[i]) - first) * (float(bins) / (last - first));
  atomicAdd(&y[int(fminf(fmaxf(place, 0.0f), float(bins - 1)))], Count(1));
}

void launch(const Args& args, cudaStream_t stream) {
  if (bins_of(args) == 0) return;
  clear(args, stream);
  if (args.x.size() == 0) return;
  dispatch_type(args, [&](auto tag) {
    using T = typename decltype(tag)::type;
    clamped_in<T><<<grid_x(args.x.size(), 256), 256, 0, stream>>>(
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
