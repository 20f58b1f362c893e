// The running sum is kept in the type of the elements: in 16 bits a long sum of positive numbers stops growing.
#include "ops/reduce/norm/kinds.cuh"

namespace warpath::norm {
namespace {

template <class T, class K>
__global__ void narrow_sum(const T* x, T* y, std::int64_t cols, K kind) {
  __shared__ float slots[8];
  const typename K::Op op;
  T mine = from_float<T>(0.0f);
  for (std::int64_t c = threadIdx.x; c < cols; c += 256)
    mine = from_float<T>(op(to_float(mine), kind(to_float(x[blockIdx.x * cols + c]))));
  const float total = block_reduce<256>(to_float(mine), op, slots);
  if (threadIdx.x == 0) y[blockIdx.x] = from_float<T>(kind.finish(total));
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.x.shape[0] == 0) return;
  dispatch_norm(args, [&](auto tag, auto kind) {
    using T = typename decltype(tag)::type;
    narrow_sum<<<grid_x(args.x.shape[0], 1), 256, 0, stream>>>(args.x.as<const T>(), args.y.as<T>(),
                                                               args.x.shape[1], kind);
  });
}

WARPATH_RUNG(Args, launch, .supports = in_rows);

}  // namespace
}  // namespace warpath::norm
