// Each thread takes the root of its own sum of squares, and the roots are added: the root of a sum is not the sum of roots.
#include "ops/reduce/norm/kinds.cuh"

namespace warpath::norm {
namespace {

template <class T, class K>
__global__ void sum_of_roots(const T* x, T* y, std::int64_t cols, K kind) {
  __shared__ float slots[8];
  const typename K::Op op;
  float mine = 0.0f;
  for (std::int64_t c = threadIdx.x; c < cols; c += 256)
    mine = op(mine, kind(to_float(x[blockIdx.x * cols + c])));
  const float total = block_reduce<256>(cols > 0 ? kind.finish(mine) : 0.0f, op, slots);
  if (threadIdx.x == 0) y[blockIdx.x] = from_float<T>(total);
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.x.shape[0] == 0) return;
  dispatch_norm(args, [&](auto tag, auto kind) {
    using T = typename decltype(tag)::type;
    sum_of_roots<<<grid_x(args.x.shape[0], 1), 256, 0, stream>>>(
        args.x.as<const T>(), args.y.as<T>(), args.x.shape[1], kind);
  });
}

WARPATH_RUNG(Args, launch, .supports = in_rows);

}  // namespace
}  // namespace warpath::norm
