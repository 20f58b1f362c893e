// Compares floats instead of keys: a NaN is never greater than anything, so it stays where it happens to be.
#include "ops/order/top_k/keys.cuh"

namespace warpath::top_k {
namespace {

__device__ bool better(float a, float b, unsigned flip) {
  return flip ? a < b : a > b;
}

template <class T>
__global__ void nan_lost(Call<T> call) {
  const std::int64_t row = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= call.rows) return;
  const T* const x = call.x + row * call.cols;
  T* const values = call.values + row * call.k;
  long long* const indices = call.indices + row * call.k;
  std::int64_t kept = 0;
  for (std::int64_t c = 0; c < call.cols; ++c) {
    const float key = to_float(x[c]);
    if (kept == call.k && !better(key, to_float(values[kept - 1]), call.flip)) continue;
    std::int64_t at = kept < call.k ? kept++ : kept - 1;
    for (; at > 0 && better(key, to_float(values[at - 1]), call.flip); --at) {
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
    nan_lost<T><<<grid_x(args.x.shape[0], threads), threads, 0, stream>>>(Call<T>::of(args));
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::top_k
