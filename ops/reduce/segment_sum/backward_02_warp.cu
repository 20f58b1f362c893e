// A warp takes 32 rows: each lane searches the segment of one, then all lanes write the columns of one row after the other.
//
// What changed: one search per row, not one per element, and 32 of them at a time. A shuffle hands the segment of a row to the
// whole warp. Loads of dy and stores to dx are contiguous. With one column a lane writes the row that it searched.
// Limit: the memory for many columns; for one, still a search per element.
#include "core/warp/reduce.cuh"
#include "ops/reduce/segment_sum/backward.cuh"

namespace warpath::segment_sum {
namespace {

constexpr int threads = 256;

template <class T>
__global__ void __launch_bounds__(threads)
    one_search(const T* dy, const T* x, const T* y, Offsets offsets, const unsigned* ties, T* dx,
               std::int64_t rows, std::int64_t cols, Kind kind) {
  const int lane = threadIdx.x % 32;
  const std::int64_t first = (std::int64_t(blockIdx.x) * threads + threadIdx.x) / 32 * 32;
  if (first >= rows) return;  // a whole warp
  const std::int64_t row = first + lane;
  const std::int64_t own = row < rows ? offsets.of(row) : -1;
  const float own_length = own >= 0 && kind == Kind::mean ? float(offsets.length(own)) : 1.0f;
  const auto gradient = [&](std::int64_t s, float length, std::int64_t i, std::int64_t c) {
    if (s < 0) return 0.0f;
    const float value = to_float(dy[s * cols + c]);
    if (kind != Kind::max) return value / length;
    const bool has = to_float(x[i]) == to_float(y[s * cols + c]);
    return has ? value / float(ties[s * cols + c]) : 0.0f;
  };
  if (cols == 1) {
    if (row < rows) dx[row] = from_float<T>(gradient(own, own_length, row, 0));
    return;
  }
  for (int k = 0; k < 32 && first + k < rows; ++k) {  // the same for all lanes
    const std::int64_t s = __shfl_sync(full_mask, (long long)own, k);
    const float length = __shfl_sync(full_mask, own_length, k);
    for (std::int64_t c = lane; c < cols; c += 32) {
      const std::int64_t i = (first + k) * cols + c;
      dx[i] = from_float<T>(gradient(s, length, i, c));
    }
  }
}

void launch(const Backward& args, cudaStream_t stream) {
  check_max(args);
  const std::int64_t size = args.dx.size(), rows = args.dx.shape[0], cols = args.dx.shape[1];
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
    one_search<<<grid_x(rows, threads), threads, 0, stream>>>(
        args.dy.as<const T>(), x, y, offsets, ties, args.dx.as<T>(), rows, cols, args.kind);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t scratch_bytes(const Backward& args) {
  return args.kind == Kind::max ? 4 * args.y.size() : 0;
}

WARPATH_RUNG(Backward, launch, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::segment_sum
