// The tree keeps its left partner of two equal ones. Thread t has elements t, t + 256, …: the left partner is the thread
// with the lower number, not the one whose element comes first.
#include "ops/reduce/argmax/best.cuh"

namespace warpath::argmax {
namespace {

template <class T>
__global__ void tree_keeps_left(View<T> in, std::int64_t* y, std::int64_t cols) {
  using V = reduce::Accumulator<T>;
  __shared__ Best<V> tree[256];
  Best<V> best = nothing<V>();
  for (std::int64_t i = threadIdx.x; i < cols; i += 256) {
    const V value = in.value(blockIdx.x, i);
    if (best.at == nowhere || wins(value, best.value)) best = {value, i};
  }
  tree[threadIdx.x] = best;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (int(threadIdx.x) < half) {
      const Best<V> right = tree[threadIdx.x + half];
      if (right.at != nowhere && wins(right.value, tree[threadIdx.x].value))
        tree[threadIdx.x] = right;
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) put(&y[blockIdx.x], tree[0]);
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.x.shape[0] == 0) return;
  dispatch_type(args, [&](auto tag) {
    using T = typename decltype(tag)::type;
    tree_keeps_left<T><<<grid_x(args.x.shape[0], 1), 256, 0, stream>>>(
        View<T>::of(args), args.y.as<std::int64_t>(), args.x.shape[1]);
  });
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::argmax
