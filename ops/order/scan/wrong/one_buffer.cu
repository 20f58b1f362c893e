// Hillis and Steele in one buffer with one barrier per step: a thread may read what another has already written in the
// same step.
#include "ops/order/scan/call.cuh"

namespace warpath::scan {
namespace {

constexpr int threads = 256;

template <class T, class Op>
__global__ void one_buffer(Rows<T> rows, Op op) {
  using A = Value<T>;
  __shared__ A buffer[threads];
  const int t = threadIdx.x;
  A carry = Op::template identity<A>();
  for (std::int64_t first = 0; first < rows.cols; first += threads) {
    const std::int64_t j = first + t, i = rows.at(blockIdx.x, j);
    buffer[t] = j < rows.cols ? widen(rows.x[i]) : Op::template identity<A>();
    for (int step = 1; step < threads; step *= 2) {
      __syncthreads();
      if (t >= step) buffer[t] = op(buffer[t - step], buffer[t]);
    }
    __syncthreads();
    A result = op(carry, buffer[t]);
    if (rows.exclusive) result = t > 0 ? op(carry, buffer[t - 1]) : carry;
    if (j < rows.cols) rows.y[i] = narrow<T>(result);
    carry = op(carry, buffer[threads - 1]);
    __syncthreads();
  }
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.x.size() == 0) return;
  dispatch_scan(args, [&](auto tag, auto op) {
    using T = typename decltype(tag)::type;
    one_buffer<<<grid_x(args.x.shape[0], 1), threads, 0, stream>>>(Rows<T>(args), op);
  });
}

WARPATH_RUNG(Args, launch, .supports = no_segments, .race = true);

}  // namespace
}  // namespace warpath::scan
