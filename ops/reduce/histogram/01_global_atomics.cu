// One atomic addition to global memory for every element.
//
// The data choose the address, so two threads may want to add to the same count at the same time: the addition has to be
// one step. Integer additions give the same result in every order.
// Limit: additions to the same address wait for each other in L2; with all elements in one bin, all of them.
#include "ops/reduce/histogram/bins.cuh"

namespace warpath::histogram {
namespace {

template <class T>
__global__ void global_atomics(const T* x, const float* edges, Count* y, std::int64_t n, int bins,
                               Spacing spacing) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int bin = Bins<>(edges, bins, spacing).of(x[i]);
  if (bin >= 0) atomicAdd(&y[bin], Count(1));
}

void launch(const Args& args, cudaStream_t stream) {
  if (bins_of(args) == 0) return;
  clear(args, stream);
  const std::int64_t n = args.x.size();
  if (n == 0) return;
  dispatch_type(args, [&](auto tag) {
    using T = typename decltype(tag)::type;
    global_atomics<<<grid_x(n, 256), 256, 0, stream>>>(args.x.as<const T>(), args.edges.as<float>(),
                                                       args.y.as<Count>(), n, bins_of(args),
                                                       args.spacing);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::histogram
