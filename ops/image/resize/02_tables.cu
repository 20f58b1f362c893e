// The weights are computed once, by a small kernel before the large one.
//
// What changed: a result's row and column share their weights with all results of that row and that column. A first kernel
// writes both tables to scratch memory, some hundred kilobytes that stay in the caches.
// Limit: all pixels of a result are visited, rows times columns of them: 16 for half the size, 400 for a tenth.
#include "ops/image/resize/tables.cuh"

namespace warpath::resize {
namespace {

template <class T>
__global__ void by_tables(const T* x, T* y, Shape s, Table rows, Table cols, std::int64_t n) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int c = int(i % s.channels), col = int(i / s.channels % s.out_width);
  const std::int64_t line = i / s.channels / s.out_width;
  const int row = int(line % s.out_height);
  const auto* const v = static_cast<const sum_of<T>*>(rows.weights) + std::int64_t(row) * rows.most;
  const auto* const h = static_cast<const sum_of<T>*>(cols.weights) + std::int64_t(col) * cols.most;
  const T* const from =
      x +
      ((line / s.out_height * s.height + rows.first[row]) * s.width + cols.first[col]) *
          s.channels +
      c;
  sum_of<T> sum = 0;
  for (int r = 0; r < rows.count[row]; ++r) {
    sum_of<T> part = 0;
    for (int k = 0; k < cols.count[col]; ++k)
      part += h[k] * widen(from[(std::int64_t(r) * s.width + k) * s.channels]);
    sum += v[r] * part;
  }
  y[i] = finish<T>(sum);
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t n = args.y.size();
  check_sizes(args);
  if (n == 0) return;
  const Tables tables = Tables::of(args);
  dispatch_image(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 256;
    tables.fill<T>(stream);
    by_tables<T><<<grid_x(n, threads), threads, 0, stream>>>(
        args.x.as<T>(), args.y.as<T>(), Shape::of(args), tables.rows, tables.cols, n);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch, .scratch = table_bytes);

}  // namespace
}  // namespace warpath::resize
