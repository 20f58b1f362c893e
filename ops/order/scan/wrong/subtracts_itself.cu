// "Exclusive is inclusive minus the element": right for integer sums. A maximum cannot be taken back, nor an infinity,
// and a float sum has lost the bits.
#include "ops/order/scan/walk.cuh"

namespace warpath::scan {
namespace {

template <class T, class Op>
__global__ void subtracts_itself(Rows<T> rows, Op op) {
  using A = Value<T>;
  walk(
      rows.cols, Op::template identity<A>(), op,
      [&](std::int64_t j) { return widen(rows.x[rows.at(blockIdx.x, j)]); },
      [&](std::int64_t j, A before, A value) {
        const A inclusive = op(before, value);
        rows.y[rows.at(blockIdx.x, j)] = narrow<T>(rows.exclusive ? inclusive - value : inclusive);
      });
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.x.size() == 0) return;
  dispatch_scan(args, [&](auto tag, auto op) {
    using T = typename decltype(tag)::type;
    subtracts_itself<<<grid_x(args.x.shape[0], 1), threads, 0, stream>>>(Rows<T>(args), op);
  });
}

WARPATH_RUNG(Args, launch, .supports = no_segments);

}  // namespace
}  // namespace warpath::scan
