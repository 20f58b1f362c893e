// Lane 0 decides when the queues are merged. Another lane's may be full before: its next element pushes out the oldest. Right for
// short rows.
#include "ops/order/top_k/candidates.cuh"
#include "ops/order/top_k/queues.cuh"

namespace warpath::top_k {
namespace {

template <class T>
__global__ void full_queue(Call<T> call) {
  const std::int64_t row = blockIdx.x;
  const int lane = threadIdx.x;
  const T* const x = call.x + row * call.cols;
  Queues<1, 2> list(int(call.k));
  for (std::int64_t first = 0; first < call.cols; first += 32) {
    const std::int64_t c = first + lane;
    list.push(c < call.cols ? candidate(key_of(x[c], call.flip), c) : 0);
    if (__shfl_sync(full_mask, list.waiting, 0) >= 2) list.merge();
  }
  list.merge();
  if (lane < int(call.k)) call.write(row, lane, list.best[0]);
}

void launch(const Forward& args, cudaStream_t stream) {
  check_k(args);
  if (args.values.size() == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    full_queue<T><<<grid_x(args.x.shape[0], 1), 32, 0, stream>>>(Call<T>::of(args));
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string supports(const Forward& args) {
  return args.k <= 32 && args.sorted ? short_enough(args) : "gives up to 32 results, sorted";
}

WARPATH_RUNG(Forward, launch, .supports = supports);

}  // namespace
}  // namespace warpath::top_k
