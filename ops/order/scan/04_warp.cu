// A warp scans its 32 elements by shuffles; the eight warps' sums are scanned by shuffles too.
//
// What changed: five steps of Hillis and Steele inside a warp need no shared memory and no barrier, because its lanes
// read each other's registers. Only one value per warp goes through shared memory, so 256 elements take two barriers
// instead of ten. Inside a warp the work-efficient tree gains nothing: idle lanes cost as much as busy ones.
// Limit: one block per row, and one small load in flight per thread: a long row leaves the rest of the GPU idle.
#include "ops/order/scan/walk.cuh"

namespace warpath::scan {
namespace {

template <class T, class Op>
__global__ void __launch_bounds__(threads) by_warps(Rows<T> rows, Op op) {
  using A = Value<T>;
  const std::int64_t row = blockIdx.x;
  walk(
      rows.cols, Op::template identity<A>(), op,
      [&](std::int64_t j) { return widen(rows.x[rows.at(row, j)]); },
      [&](std::int64_t j, A before, A value) {
        rows.y[rows.at(row, j)] = narrow<T>(rows.exclusive ? before : op(before, value));
      });
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.x.size() == 0) return;
  dispatch_scan(args, [&](auto tag, auto op) {
    using T = typename decltype(tag)::type;
    by_warps<<<grid_x(args.x.shape[0], 1), threads, 0, stream>>>(Rows<T>(args), op);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch, .supports = one_block_a_row);

}  // namespace
}  // namespace warpath::scan
