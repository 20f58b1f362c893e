// A tree of sums on the way up, prefixes on the way down (Blelloch).
//
// What changed: 2(n - 1) additions for n elements instead of n log2(n). On the way up, every second, fourth, eighth …
// element becomes the sum of its pair, as in a reduction. On the way down a node hands the prefix it was given to its
// left half, and that prefix combined with the left half's sum to its right half. The result is the exclusive scan; the
// inclusive one combines each element with it once more.
// Limit: twice as many steps, with fewer and fewer threads at work. Their places are 2, 4, 8 … words apart, so up to 16
// lanes meet in one bank of shared memory.
#include "ops/order/scan/call.cuh"

namespace warpath::scan {
namespace {

constexpr int threads = 256, elements = 2 * threads;  // at a time

template <class T, class Op>
__global__ void __launch_bounds__(threads) blelloch(Rows<T> rows, Op op) {
  using A = Value<T>;
  __shared__ A tree[elements];
  __shared__ A total;
  const int t = threadIdx.x;
  A carry = Op::template identity<A>();
  for (std::int64_t first = 0; first < rows.cols; first += elements) {
    A own[2];
    for (int e = 0; e < 2; ++e) {
      const std::int64_t j = first + e * threads + t;
      own[e] = j < rows.cols ? widen(rows.x[rows.at(blockIdx.x, j)]) : Op::template identity<A>();
      tree[e * threads + t] = own[e];
    }
    for (int step = 1; step < elements; step *= 2) {  // up
      __syncthreads();
      const int right = (t + 1) * 2 * step - 1;
      if (right < elements) tree[right] = op(tree[right - step], tree[right]);
    }
    __syncthreads();
    if (t == 0) {
      total = tree[elements - 1];
      tree[elements - 1] = Op::template identity<A>();
    }
    for (int step = threads; step > 0; step /= 2) {  // down
      __syncthreads();
      const int right = (t + 1) * 2 * step - 1;
      if (right < elements) {
        const A left_sum = tree[right - step], prefix = tree[right];
        tree[right - step] = prefix;
        tree[right] = op(prefix, left_sum);
      }
    }
    __syncthreads();
    for (int e = 0; e < 2; ++e) {
      const std::int64_t j = first + e * threads + t;
      const A before = op(carry, tree[e * threads + t]);
      if (j < rows.cols)
        rows.y[rows.at(blockIdx.x, j)] = narrow<T>(rows.exclusive ? before : op(before, own[e]));
    }
    carry = op(carry, total);
    __syncthreads();
  }
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.x.size() == 0) return;
  dispatch_scan(args, [&](auto tag, auto op) {
    using T = typename decltype(tag)::type;
    blelloch<<<grid_x(args.x.shape[0], 1), threads, 0, stream>>>(Rows<T>(args), op);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch, .supports = one_block_a_row);

}  // namespace
}  // namespace warpath::scan
