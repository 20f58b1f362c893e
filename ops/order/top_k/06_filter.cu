// One block, one row, read once: only what might be among the best k goes to shared memory.
//
// What changed: nearly all elements can be rejected by one comparison with a threshold that k elements are known to reach. The
// first threshold comes from the first chunk, which 256 threads hold in registers: the k-th largest of the threads' maxima. For
// k = 64 and random numbers about 70 of 8192 elements pass it. The few that pass are appended to a buffer in shared memory, in
// any order; radix select shrinks the buffer to the best k when it fills up, which raises the threshold. In the end the
// buffer is sorted. A row that grows lets every element pass and costs a selection per buffer; it is still read once.
// Each thread has 32 elements in flight, and four blocks per SM take turns at loading and selecting.
// Limit: the memory, and the selections at both ends of a row, during which a block loads nothing.
#include "ops/order/top_k/filter.cuh"

namespace warpath::top_k {
namespace {

template <class T, int N>
__global__ void __launch_bounds__(threads, 4) filter(Call<T> call) {
  __shared__ __align__(16) FilterSlots slots;
  const std::int64_t row = blockIdx.x;
  Filter best(slots, int(call.k), call.flip);
  best.template read<N>(call.x + row * call.cols, 0, unsigned(call.cols));
  if (best.count() > 512) best.shrink();  // cheaper than sorting all of them
  write_best(call, row, slots.held, best.count());
}

void launch(const Forward& args, cudaStream_t stream) {
  check_k(args);
  if (args.values.size() == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int N = lanes_of_16<T>;
    const unsigned grid = grid_x(args.x.shape[0], 1);
    if (args.x.is_aligned(16) && args.x.shape[1] % N == 0)
      filter<T, N><<<grid, threads, 0, stream>>>(Call<T>::of(args));
    else
      filter<T, 1><<<grid, threads, 0, stream>>>(Call<T>::of(args));
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string preferred(const Forward& args) {
  return args.x.shape[1] <= 1024 && args.k <= 32 ? "short rows fit in a warp's registers" : "";
}

WARPATH_RUNG(Forward, launch, .supports = few_enough, .preferred = preferred);

}  // namespace
}  // namespace warpath::top_k
