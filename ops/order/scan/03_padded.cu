// The same tree without bank conflicts: one unused word after every 32.
//
// What changed: places that are a multiple of 32 words apart lie in the same bank of shared memory. Shifted by one word
// for every 32, they lie in different ones.
// Limit: still two barriers per level of the tree, 21 for 512 elements; most threads wait at most of them.
#include "ops/order/scan/call.cuh"

namespace warpath::scan {
namespace {

constexpr int threads = 256, elements = 2 * threads;  // at a time

__device__ __forceinline__ int padded(int i) {
  return i + i / 32;
}

template <class T, class Op>
__global__ void __launch_bounds__(threads) padded_tree(Rows<T> rows, Op op) {
  using A = Value<T>;
  __shared__ A tree[elements + elements / 32];
  __shared__ A total;
  const int t = threadIdx.x;
  A carry = Op::template identity<A>();
  for (std::int64_t first = 0; first < rows.cols; first += elements) {
    A own[2];
    for (int e = 0; e < 2; ++e) {
      const std::int64_t j = first + e * threads + t;
      own[e] = j < rows.cols ? widen(rows.x[rows.at(blockIdx.x, j)]) : Op::template identity<A>();
      tree[padded(e * threads + t)] = own[e];
    }
    for (int step = 1; step < elements; step *= 2) {  // up
      __syncthreads();
      const int right = (t + 1) * 2 * step - 1;
      if (right < elements)
        tree[padded(right)] = op(tree[padded(right - step)], tree[padded(right)]);
    }
    __syncthreads();
    if (t == 0) {
      total = tree[padded(elements - 1)];
      tree[padded(elements - 1)] = Op::template identity<A>();
    }
    for (int step = threads; step > 0; step /= 2) {  // down
      __syncthreads();
      const int right = (t + 1) * 2 * step - 1;
      if (right < elements) {
        const A left_sum = tree[padded(right - step)], prefix = tree[padded(right)];
        tree[padded(right - step)] = prefix;
        tree[padded(right)] = op(prefix, left_sum);
      }
    }
    __syncthreads();
    for (int e = 0; e < 2; ++e) {
      const std::int64_t j = first + e * threads + t;
      const A before = op(carry, tree[padded(e * threads + t)]);
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
    padded_tree<<<grid_x(args.x.shape[0], 1), threads, 0, stream>>>(Rows<T>(args), op);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch, .supports = one_block_a_row);

}  // namespace
}  // namespace warpath::scan
