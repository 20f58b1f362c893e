// "The steps of a tree need no barrier, the warps run in step": eight warps do not.
#include "ops/reduce/reduce/accumulate.cuh"

namespace warpath::reduce {
namespace {

template <class T, class Op>
__global__ void missing_barrier(const T* x, T* y, std::int64_t cols, Op op) {
  using A = Accumulator<T>;
  __shared__ A tree[256];
  A mine = Op::template identity<A>();
  for (std::int64_t c = threadIdx.x; c < cols; c += 256)
    mine = op(mine, widen(x[blockIdx.x * cols + c]));
  tree[threadIdx.x] = mine;
  for (int step = 128; step > 0; step /= 2)
    if (int(threadIdx.x) < step)
      tree[threadIdx.x] = op(tree[threadIdx.x], tree[threadIdx.x + step]);
  __syncthreads();
  if (threadIdx.x == 0) y[blockIdx.x] = narrow<T>(tree[0]);
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows == 0) return;
  dispatch_reduce(args, [&](auto tag, auto op) {
    using T = typename decltype(tag)::type;
    missing_barrier<<<grid_x(rows, 1), 256, 0, stream>>>(args.x.as<const T>(), args.y.as<T>(), cols,
                                                         op);
  });
}

WARPATH_RUNG(Args, launch, .race = true);

}  // namespace
}  // namespace warpath::reduce
