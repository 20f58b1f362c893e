// The first thread adds the products up without waiting for the threads of the other warps to write theirs.
#include "ops/reduce/dot/pairs.cuh"

namespace warpath::dot {
namespace {

template <class T>
__global__ void no_barrier(const T* x, const T* y, T* z, std::int64_t cols) {
  __shared__ float terms[256];
  float mine = 0.0f;
  for (std::int64_t c = threadIdx.x; c < cols; c += 256)
    mine += to_float(x[blockIdx.x * cols + c]) * to_float(y[blockIdx.x * cols + c]);
  terms[threadIdx.x] = mine;
  if (threadIdx.x == 0) {
    float sum = 0.0f;
    for (int k = 0; k < 256; ++k) sum += terms[k];
    z[blockIdx.x] = from_float<T>(sum);
  }
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.x.shape[0] == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    no_barrier<<<grid_x(args.x.shape[0], 1), 256, 0, stream>>>(
        args.x.as<const T>(), args.y.as<const T>(), args.z.as<T>(), args.x.shape[1]);
  });
}

WARPATH_RUNG(Args, launch, .supports = in_rows, .race = true);

}  // namespace
}  // namespace warpath::dot
