// One thread per element, which searches the segment of its row.
//
// The offsets ascend, so the segment is found by halving: about 20 steps for a million segments, whose first ones all
// threads share in the caches. Of a maximum, a launch before counts the rows that have it: integers, in any order.
// Limit: the search, a chain of dependent loads, once per element: with several columns, once per column.
#include "ops/reduce/segment_sum/backward.cuh"

namespace warpath::segment_sum {
namespace {

constexpr int threads = 256;

template <class T>
__global__ void search(const T* dy, const T* x, const T* y, Offsets offsets, const unsigned* ties,
                       T* dx, std::int64_t size, std::int64_t cols, Kind kind) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const std::int64_t s = offsets.of(i / cols), k = s * cols + i % cols;
  float value = 0;
  if (s >= 0) value = to_float(dy[k]);
  if (s >= 0 && kind == Kind::mean) value /= float(offsets.length(s));
  if (s >= 0 && kind == Kind::max)
    value = to_float(x[i]) == to_float(y[k]) ? value / float(ties[k]) : 0.0f;
  dx[i] = from_float<T>(value);
}

void launch(const Backward& args, cudaStream_t stream) {
  check_max(args);
  const std::int64_t size = args.dx.size(), cols = args.dx.shape[1];
  if (size == 0) return;
  auto* const ties = static_cast<unsigned*>(args.scratch.data);
  const Offsets offsets = Offsets::of(args);
  dispatch_float(args.dy.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T *const x = args.x.as<const T>(), *const y = args.y.as<const T>();
    if (args.kind == Kind::max && args.y.size() > 0) {
      clear_words<<<grid_x(args.y.size(), threads), threads, 0, stream>>>(ties, args.y.size());
      count_ties<<<grid_x(size, threads), threads, 0, stream>>>(x, y, offsets, ties, size, cols);
    }
    search<<<grid_x(size, threads), threads, 0, stream>>>(
        args.dy.as<const T>(), x, y, offsets, ties, args.dx.as<T>(), size, cols, args.kind);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t scratch_bytes(const Backward& args) {
  return args.kind == Kind::max ? 4 * args.y.size() : 0;
}

WARPATH_RUNG(Backward, launch, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::segment_sum
