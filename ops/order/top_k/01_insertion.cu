// One thread, one row: a sorted list of the best, kept in the output.
//
// Each element is compared with the worst of the list. A better one is inserted at its place, and the last one drops out. A
// later element that is equal does not pass, so the lower column wins.
// Limit: one thread reads a whole row, and neighbouring threads read different rows: a sector is loaded for each element.
// With few rows, most of the GPU is idle.
#include "ops/order/top_k/keys.cuh"

namespace warpath::top_k {
namespace {

template <class T>
__global__ void insertion(Call<T> call) {
  const std::int64_t row = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= call.rows) return;
  const T* const x = call.x + row * call.cols;
  T* const values = call.values + row * call.k;
  long long* const indices = call.indices + row * call.k;
  std::int64_t kept = 0;
  for (std::int64_t c = 0; c < call.cols; ++c) {
    const unsigned key = key_of(x[c], call.flip);
    if (kept == call.k && key <= key_of(values[kept - 1], call.flip)) continue;
    std::int64_t at = kept < call.k ? kept++ : kept - 1;
    for (; at > 0 && key > key_of(values[at - 1], call.flip); --at) {
      values[at] = values[at - 1];
      indices[at] = indices[at - 1];
    }
    values[at] = x[c];
    indices[at] = c;
  }
  for (std::int64_t j = 1; j < call.k && !call.sorted; ++j)  // the same by column
    for (std::int64_t at = j; at > 0 && indices[at] < indices[at - 1]; --at) {
      const T value = values[at];
      const long long index = indices[at];
      values[at] = values[at - 1];
      indices[at] = indices[at - 1];
      values[at - 1] = value;
      indices[at - 1] = index;
    }
}

void launch(const Forward& args, cudaStream_t stream) {
  check_k(args);
  if (args.values.size() == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 64;
    insertion<T><<<grid_x(args.x.shape[0], threads), threads, 0, stream>>>(Call<T>::of(args));
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::top_k
