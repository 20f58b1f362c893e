// Takes the second run where keys are equal. Keys alone look sorted; their values are not in order.
#include "ops/order/merge_sort/passes.cuh"

namespace warpath::merge_sort {
namespace {

template <class T, class Order>
__global__ void merge_runs(Sequence<T> from, Sequence<T> to, std::int64_t n, std::int64_t run,
                           Order order) {
  const std::int64_t pair = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (pair * 2 * run >= n) return;
  const Runs runs = Runs::at(pair * 2 * run, run, n);
  std::int64_t a = runs.begin, b = runs.middle;
  for (std::int64_t at = runs.begin; at < runs.end; ++at) {
    const bool from_b = b < runs.end && (a == runs.middle ||
                                         !(order.rank(from.keys[a]) < order.rank(from.keys[b])));
    to.put(at, from, from_b ? b++ : a++);
  }
}

void launch(const Args& args, cudaStream_t stream) {
  check_values(args);
  const std::int64_t n = args.keys.size();
  if (n == 0) return;
  dispatch_order(args.keys.dtype, args.comparison, [&](auto tag, auto order) {
    using T = typename decltype(tag)::type;
    const auto buffers = Buffers<T>::of(args, std::max(passes_of(n, 1), 1));
    Sequence<T> from = input_of<T>(args);
    std::int64_t run = 1;
    for (int i = 0; i < buffers.launches; ++i, run *= 2) {
      const Sequence<T> to = buffers.written_by(i);
      merge_runs<T><<<grid_x(n, 64 * 2 * run), 64, 0, stream>>>(from, to, n, run, order);
      from = to;
    }
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch, .scratch = buffer_bytes);

}  // namespace
}  // namespace warpath::merge_sort
