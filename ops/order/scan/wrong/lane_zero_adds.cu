// __shfl_up_sync hands a lane that has no lane below it its own value back; here every lane uses what it gets.
#include "ops/order/scan/call.cuh"

namespace warpath::scan {
namespace {

template <class T, class Op>
__global__ void lane_zero_adds(Rows<T> rows, Op op) {
  using A = Value<T>;
  A carry = Op::template identity<A>();
  for (std::int64_t first = 0; first < rows.cols; first += 32) {
    const std::int64_t j = first + threadIdx.x, i = rows.at(blockIdx.x, j);
    A value = j < rows.cols ? widen(rows.x[i]) : Op::template identity<A>();
    for (int distance = 1; distance < 32; distance *= 2)
      value = op(__shfl_up_sync(full_mask, value, distance), value);
    const A before = op(carry, shifted_by_one(value, Op::template identity<A>()));
    if (j < rows.cols) rows.y[i] = narrow<T>(rows.exclusive ? before : op(carry, value));
    carry = op(carry, shuffle(value, 31));
  }
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.x.size() == 0) return;
  dispatch_scan(args, [&](auto tag, auto op) {
    using T = typename decltype(tag)::type;
    lane_zero_adds<<<grid_x(args.x.shape[0], 1), 32, 0, stream>>>(Rows<T>(args), op);
  });
}

WARPATH_RUNG(Args, launch, .supports = no_segments);

}  // namespace
}  // namespace warpath::scan
