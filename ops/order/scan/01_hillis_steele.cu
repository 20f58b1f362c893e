// Each step adds the element 1, 2, 4, 8 … places before (Hillis and Steele).
//
// A block walks along its row, 256 elements at a time. After step s an element is the sum of the 2^s elements up to it,
// so eight steps are enough. A step reads what the one before wrote, from one of two buffers into the other: with one
// buffer, some threads would read what others of the same step have written. The last element of a chunk is carried over
// to the next.
// Limit: n log2(n) additions where n - 1 would do, each through shared memory, and a barrier per step. One block per row.
#include "ops/order/scan/call.cuh"

namespace warpath::scan {
namespace {

constexpr int threads = 256;  // and elements at a time

template <class T, class Op>
__global__ void __launch_bounds__(threads) hillis_steele(Rows<T> rows, Op op) {
  using A = Value<T>;
  __shared__ A buffer[2][threads];
  const int t = threadIdx.x;
  A carry = Op::template identity<A>();
  for (std::int64_t first = 0; first < rows.cols; first += threads) {
    const std::int64_t j = first + t, i = rows.at(blockIdx.x, j);
    buffer[0][t] = j < rows.cols ? widen(rows.x[i]) : Op::template identity<A>();
    __syncthreads();
    int from = 0;
    for (int step = 1; step < threads; step *= 2) {
      const A mine = buffer[from][t];
      buffer[1 - from][t] = t >= step ? op(buffer[from][t - step], mine) : mine;
      from = 1 - from;
      __syncthreads();
    }
    A result = op(carry, buffer[from][t]);
    if (rows.exclusive) result = t > 0 ? op(carry, buffer[from][t - 1]) : carry;
    if (j < rows.cols) rows.y[i] = narrow<T>(result);
    carry = op(carry, buffer[from][threads - 1]);
    __syncthreads();
  }
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.x.size() == 0) return;
  dispatch_scan(args, [&](auto tag, auto op) {
    using T = typename decltype(tag)::type;
    hillis_steele<<<grid_x(args.x.shape[0], 1), threads, 0, stream>>>(Rows<T>(args), op);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch, .supports = one_block_a_row);

}  // namespace
}  // namespace warpath::scan
