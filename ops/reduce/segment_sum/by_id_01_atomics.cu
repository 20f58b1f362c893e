// One atomic addition per element.
//
// The id of a row is data, so two threads may add to the same total at once. The totals are floats in scratch memory,
// whatever the type of x: a sum that is rounded to 16 bits after every addition would be lost. A second kernel rounds them
// once. A maximum is taken among integers that are in the order of floats.
// Limit: additions to the same address wait for each other in L2, and their order differs from run to run: so do the last
// bits of a sum.
#include "ops/reduce/segment_sum/by_id.cuh"

namespace warpath::segment_sum {
namespace {

constexpr int threads = 256;

template <class T>
__global__ void add(const T* x, Ids ids, std::int64_t size, std::int64_t cols, float* totals,
                    unsigned* rows, Kind kind) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const std::int64_t s = ids.of(i / cols), c = i % cols;
  if (s < 0) return;
  const float value = to_float(x[i]);
  if (kind == Kind::max)
    atomicMax(reinterpret_cast<unsigned*>(totals) + s * cols + c, key_of(value));
  else
    atomicAdd(&totals[s * cols + c], value);
  if (c == 0 && kind == Kind::mean) atomicAdd(&rows[s], 1u);
}

template <class T>
__global__ void finish(const float* totals, const unsigned* rows, T* y, std::int64_t size,
                       std::int64_t cols, Kind kind) {
  const std::int64_t k = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (k >= size) return;
  float total = totals[k];
  if (kind == Kind::max) total = of_key(__float_as_uint(total));
  if (kind == Kind::mean) total /= float(rows[k / cols]);
  y[k] = from_float<T>(total);
}

void launch(const ById& args, cudaStream_t stream) {
  const std::int64_t size = args.y.size(), segments = args.y.shape[0], cols = args.y.shape[1];
  if (size == 0) return;
  auto* const totals = static_cast<float*>(args.scratch.data);
  auto* const rows = reinterpret_cast<unsigned*>(totals + size);
  clear_words<<<grid_x(size + segments, threads), threads, 0, stream>>>(
      reinterpret_cast<unsigned*>(totals), size + segments);
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (const std::int64_t n = args.x.size(); n > 0)
      add<<<grid_x(n, threads), threads, 0, stream>>>(
          args.x.as<const T>(), Ids::of(args.ids, segments), n, cols, totals, rows, args.kind);
    finish<<<grid_x(size, threads), threads, 0, stream>>>(totals, rows, args.y.as<T>(), size, cols,
                                                          args.kind);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t scratch_bytes(const ById& args) {
  return 4 * (args.y.size() + args.y.shape[0]);
}

WARPATH_RUNG(ById, launch, .scratch = scratch_bytes, .deterministic = false);

}  // namespace
}  // namespace warpath::segment_sum
