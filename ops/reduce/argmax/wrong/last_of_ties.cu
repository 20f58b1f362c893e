// "Not worse" in place of "better": of equal elements the last one is reported.
#include "ops/reduce/argmax/best.cuh"

namespace warpath::argmax {
namespace {

template <class T>
__global__ void last_of_ties(View<T> in, std::int64_t* y, std::int64_t rows, std::int64_t cols) {
  const std::int64_t row = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  auto best = nothing<reduce::Accumulator<T>>();
  for (std::int64_t i = 0; i < cols; ++i) {
    const auto value = in.value(row, i);
    if (i == 0 || !wins(best.value, value)) best = {value, i};
  }
  put(&y[row], best);
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.x.shape[0] == 0) return;
  dispatch_type(args, [&](auto tag) {
    using T = typename decltype(tag)::type;
    last_of_ties<T><<<grid_x(args.x.shape[0], 128), 128, 0, stream>>>(
        View<T>::of(args), args.y.as<std::int64_t>(), args.x.shape[0], args.x.shape[1]);
  });
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::argmax
