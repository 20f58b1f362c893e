// One block, one row: k times the best of what is left.
//
// What changed: 256 threads share a row and read neighbouring elements. An element and its column make one number of 64 bits,
// so that "best, and of equal ones the first" is a plain maximum. Each round looks for the largest below the last one found.
// Limit: the row is read k times. A row that fits in L1 hides that for small k; for k = 64 the time is 64 reads.
#include "core/block/reduce.cuh"
#include "ops/order/top_k/keys.cuh"

namespace warpath::top_k {
namespace {

constexpr int threads = 256;

template <class T>
__global__ void __launch_bounds__(threads) repeated_max(Call<T> call) {
  __shared__ Candidate slots[threads / 32];
  const std::int64_t row = blockIdx.x;
  const T* const x = call.x + row * call.cols;
  Candidate last = ~Candidate(0);
  for (std::int64_t j = 0; j < call.k; ++j) {
    Candidate best = 0;
    for (std::int64_t c = threadIdx.x; c < call.cols; c += threads) {
      const Candidate here = candidate(key_of(x[c], call.flip), c);
      if (here < last && here > best) best = here;
    }
    last = block_reduce<threads>(best, Better{}, slots);
    if (threadIdx.x == 0) call.write(row, j, last);
    __syncthreads();  // the slots are used again
  }
}

void launch(const Forward& args, cudaStream_t stream) {
  check_k(args);
  if (args.values.size() == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    repeated_max<T><<<grid_x(args.x.shape[0], 1), threads, 0, stream>>>(Call<T>::of(args));
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string supports(const Forward& args) {
  return args.sorted ? short_enough(args) : "gives its results sorted";
}

WARPATH_RUNG(Forward, launch, .supports = supports);

}  // namespace
}  // namespace warpath::top_k
