// Each element looks up the gradient of its segment.
//
// The way back needs no atomics: many rows read one total, and a read is shared freely. Only a mean and a maximum count first,
// in integers: the rows of each segment, or those that have its maximum.
// Limit: the memory; the rows of dy are read in the order of the ids, from L2 where they fit.
#include "ops/reduce/segment_sum/backward.cuh"

namespace warpath::segment_sum {
namespace {

constexpr int threads = 256;

__global__ void count_rows(Ids ids, unsigned* counts, std::int64_t rows) {
  const std::int64_t r = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  const std::int64_t s = ids.of(r);
  if (s >= 0) atomicAdd(&counts[s], 1u);
}

template <class T>
__global__ void gather(const T* dy, const T* x, const T* y, Ids ids, const unsigned* counts, T* dx,
                       std::int64_t size, std::int64_t cols, Kind kind) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const std::int64_t s = ids.of(i / cols), k = s * cols + i % cols;
  float value = 0;
  if (s >= 0) value = to_float(dy[k]);
  if (s >= 0 && kind == Kind::mean) value /= float(counts[s]);
  if (s >= 0 && kind == Kind::max)
    value = to_float(x[i]) == to_float(y[k]) ? value / float(counts[k]) : 0.0f;
  dx[i] = from_float<T>(value);
}

std::int64_t counted(const ByIdBackward& args) {
  return args.kind == Kind::max ? args.dy.size() : args.kind == Kind::mean ? args.dy.shape[0] : 0;
}

void launch(const ByIdBackward& args, cudaStream_t stream) {
  check_max(args);
  const std::int64_t size = args.dx.size(), rows = args.dx.shape[0], cols = args.dx.shape[1];
  if (size == 0) return;
  auto* const counts = static_cast<unsigned*>(args.scratch.data);
  const Ids ids = Ids::of(args.ids, args.dy.shape[0]);
  const std::int64_t count = counted(args);
  if (count > 0) clear_words<<<grid_x(count, threads), threads, 0, stream>>>(counts, count);
  dispatch_float(args.dy.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T *const x = args.x.as<const T>(), *const y = args.y.as<const T>();
    if (count > 0 && args.kind == Kind::max)
      count_ties<<<grid_x(size, threads), threads, 0, stream>>>(x, y, ids, counts, size, cols);
    else if (count > 0)
      count_rows<<<grid_x(rows, threads), threads, 0, stream>>>(ids, counts, rows);
    gather<<<grid_x(size, threads), threads, 0, stream>>>(args.dy.as<const T>(), x, y, ids, counts,
                                                          args.dx.as<T>(), size, cols, args.kind);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t scratch_bytes(const ByIdBackward& args) {
  return 4 * counted(args);
}

WARPATH_RUNG(ByIdBackward, launch, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::segment_sum
