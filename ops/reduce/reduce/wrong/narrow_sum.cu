// The running result is kept in the type of the elements: in 16 bits a long sum stops growing.
#include "ops/reduce/reduce/accumulate.cuh"

namespace warpath::reduce {
namespace {

template <class T, class Op>
__global__ void narrow_sum(const T* x, T* y, std::int64_t cols, Op op) {
  using A = Accumulator<T>;
  __shared__ A slots[8];
  T mine = narrow<T>(Op::template identity<A>());
  for (std::int64_t c = threadIdx.x; c < cols; c += 256)
    mine = narrow<T>(op(widen(mine), widen(x[blockIdx.x * cols + c])));
  const A total = block_reduce<256>(widen(mine), op, slots);
  if (threadIdx.x == 0) y[blockIdx.x] = narrow<T>(total);
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows == 0) return;
  dispatch_reduce(args, [&](auto tag, auto op) {
    using T = typename decltype(tag)::type;
    narrow_sum<<<grid_x(rows, 1), 256, 0, stream>>>(args.x.as<const T>(), args.y.as<T>(), cols, op);
  });
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::reduce
