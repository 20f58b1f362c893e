// Every reduction starts from zero: right for sums, and for the maximum of any row that has a
// positive element.
#include "ops/reduce/reduce/accumulate.cuh"

namespace warpath::reduce {
namespace {

template <class T, class Op>
__global__ void starts_from_zero(const T* x, T* y, std::int64_t cols, Op op) {
  using A = Accumulator<T>;
  __shared__ A slots[8];
  A mine = A(0);
  for (std::int64_t c = threadIdx.x; c < cols; c += 256)
    mine = op(mine, widen(x[blockIdx.x * cols + c]));
  mine = block_reduce<256>(mine, op, slots);
  if (threadIdx.x == 0) y[blockIdx.x] = narrow<T>(mine);
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows == 0) return;
  dispatch_reduce(args, [&](auto tag, auto op) {
    using T = typename decltype(tag)::type;
    starts_from_zero<<<grid_x(rows, 1), 256, 0, stream>>>(args.x.as<const T>(), args.y.as<T>(),
                                                          cols, op);
  });
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::reduce
