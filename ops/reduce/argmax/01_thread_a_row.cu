// One thread walks along a row and keeps the best value and its place.
//
// A strict comparison keeps the first of equal elements. NaN wins over every number, and nothing wins over NaN.
// Limit: neighbouring threads read addresses that are a row apart, so each load fetches 32 bytes for one element, and few
// rows leave most of the GPU idle. Rows over 2^20 elements are refused: one thread would take seconds.
#include "ops/reduce/argmax/best.cuh"

namespace warpath::argmax {
namespace {

template <class T>
__global__ void thread_a_row(View<T> in, std::int64_t* y, std::int64_t rows, std::int64_t cols) {
  const std::int64_t row = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  auto best = nothing<reduce::Accumulator<T>>();
  for (std::int64_t i = 0; i < cols; ++i) {
    const auto value = in.value(row, i);
    if (i == 0 || wins(value, best.value)) best = {value, i};
  }
  put(&y[row], best);
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows == 0) return;
  dispatch_type(args, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 128;
    thread_a_row<T><<<grid_x(rows, threads), threads, 0, stream>>>(
        View<T>::of(args), args.y.as<std::int64_t>(), rows, cols);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string supports(const Args& args) {
  return args.x.shape[1] <= (1 << 20)
             ? ""
             : "takes rows of at most 2^20 elements: one thread walks along each";
}

WARPATH_RUNG(Args, launch, .supports = supports);

}  // namespace
}  // namespace warpath::argmax
