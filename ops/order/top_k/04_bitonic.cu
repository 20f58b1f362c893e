// One block, one row: fill shared memory, sort, keep the best k, fill up again.
//
// What changed: the row is read once for any k up to 2048. A bitonic sort needs no decision that depends on the data: in each
// step, pairs at a fixed distance are compared, so 256 threads work side by side.
// Limit: everything is sorted, log2(n)^2 / 2 steps for each element, and nearly all of them are thrown away afterwards.
#include "ops/order/top_k/candidates.cuh"

namespace warpath::top_k {
namespace {

// At least twice k, so that half of what is sorted is new.
int buffer_of(std::int64_t k) {
  int size = 512;
  while (size < 2 * k) size *= 2;
  return size;
}

template <class T>
__global__ void __launch_bounds__(threads) bitonic(Call<T> call, int size) {
  extern __shared__ Candidate best[];
  const std::int64_t row = blockIdx.x;
  const T* const x = call.x + row * call.cols;
  int kept = 0;
  for (std::int64_t next = 0; next < call.cols;) {
    for (int i = kept + int(threadIdx.x); i < size; i += threads) {
      const std::int64_t c = next + i - kept;
      best[i] = c < call.cols ? candidate(key_of(x[c], call.flip), c) : 0;
    }
    __syncthreads();
    sort_candidates(best, size);
    next += size - kept;
    kept = int(call.k);
  }
  write_best(call, row, best, kept);
}

void launch(const Forward& args, cudaStream_t stream) {
  check_k(args);
  if (args.values.size() == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const int size = buffer_of(args.k);
    bitonic<T>
        <<<grid_x(args.x.shape[0], 1), threads, std::size_t(size) * sizeof(Candidate), stream>>>(
            Call<T>::of(args), size);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string preferred(const Forward& args) {
  return args.x.shape[1] <= 1024 && args.k <= 32 ? "short rows fit in a warp's registers" : "";
}

WARPATH_RUNG(Forward, launch, .supports = few_enough, .preferred = preferred);

}  // namespace
}  // namespace warpath::top_k
