// Totals are read, then written: "the barrier between keeps the threads in step". Of two threads that have read the same
// total, one's element is lost.
#include "ops/reduce/segment_sum/by_id.cuh"

namespace warpath::segment_sum {
namespace {

template <class T>
__global__ void plain_adds(const T* x, Ids ids, std::int64_t size, std::int64_t cols,
                           float* totals) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t s = i < size ? ids.of(i / cols) : -1, k = s * cols + i % cols;
  const float before = s >= 0 ? totals[k] : 0.0f;
  __syncthreads();
  if (s >= 0) totals[k] = before + to_float(x[i]);
}

template <class T>
__global__ void finish(const float* totals, T* y, std::int64_t size) {
  const std::int64_t k = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (k < size) y[k] = from_float<T>(totals[k]);
}

void launch(const ById& args, cudaStream_t stream) {
  const std::int64_t size = args.y.size(), n = args.x.size(), cols = args.y.shape[1];
  if (size == 0) return;
  auto* const totals = static_cast<float*>(args.scratch.data);
  clear_words<<<grid_x(size, 256), 256, 0, stream>>>(totals, size);
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (n > 0)
      plain_adds<<<grid_x(n, 256), 256, 0, stream>>>(
          args.x.as<const T>(), Ids::of(args.ids, args.y.shape[0]), n, cols, totals);
    finish<<<grid_x(size, 256), 256, 0, stream>>>(totals, args.y.as<T>(), size);
  });
}

std::string sums(const ById& args) {
  return args.kind == Kind::sum ? "" : "takes sums";
}
std::int64_t scratch_bytes(const ById& args) {
  return 4 * args.y.size();
}

WARPATH_RUNG(ById, launch, .supports = sums, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::segment_sum
