// Warps that have nothing to add leave their slot as the previous block left it.
#include "ops/reduce/reduce/accumulate.cuh"

namespace warpath::reduce {
namespace {

template <class T, class Op>
__global__ void slots_left_over(const T* x, T* y, std::int64_t cols, Op op) {
  using A = Accumulator<T>;
  __shared__ A slots[8];
  A mine = Op::template identity<A>();
  for (std::int64_t c = threadIdx.x; c < cols; c += 256)
    mine = op(mine, widen(x[blockIdx.x * cols + c]));
  mine = warp_reduce(mine, op);
  if (threadIdx.x % 32 == 0 && threadIdx.x < cols) slots[threadIdx.x / 32] = mine;
  __syncthreads();
  mine = warp_reduce<8>(slots[threadIdx.x % 8], op);
  if (threadIdx.x == 0) y[blockIdx.x] = narrow<T>(mine);
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows == 0) return;
  dispatch_reduce(args, [&](auto tag, auto op) {
    using T = typename decltype(tag)::type;
    slots_left_over<<<grid_x(rows, 1), 256, 0, stream>>>(args.x.as<const T>(), args.y.as<T>(), cols,
                                                         op);
  });
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::reduce
