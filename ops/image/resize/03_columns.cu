// Columns first, into shared memory, then rows: the visits add up instead of multiplying.
//
// What changed: a block makes 256 elements of one row of the result. Its threads sum the columns of all pixels below them,
// neighbours next to each other, so every row of the image is read in whole lines; the sums stay in shared memory, where each
// result then takes those of its own columns. A result at a tenth of the size costs 40 visits, not 400.
// Limit: a row of the image is read by each row of the result that it has a part in, two of them as a rule: once from memory and once
// from L2. For bytes the loads are one byte wide.
#include <cuda_runtime.h>

#include "ops/image/resize/tables.cuh"

namespace warpath::resize {
namespace {

constexpr int threads = 256;

template <class T>
__global__ void __launch_bounds__(threads)
    columns_first(const T* x, T* y, Shape s, Table rows, Table cols, std::int64_t images) {
  extern __shared__ unsigned char raw[];
  auto* const sums = reinterpret_cast<sum_of<T>*>(raw);
  const int line = s.width * s.channels, out_line = s.out_width * s.channels;
  const int start = blockIdx.x * threads, stop = min(start + threads, out_line);
  // The pixels below this block's results.
  const int last = (stop - 1) / s.channels;
  const int from_col = cols.first[start / s.channels], to_col = cols.first[last] + cols.count[last];
  const int first = from_col * s.channels, wide = to_col * s.channels - first;
  for (std::int64_t image = blockIdx.z; image < images; image += gridDim.z)
    for (int row = blockIdx.y; row < s.out_height; row += gridDim.y) {
      const auto* const v =
          static_cast<const sum_of<T>*>(rows.weights) + std::int64_t(row) * rows.most;
      const T* const top = x + (image * s.height + rows.first[row]) * line + first;
      const int tall = rows.count[row];
      for (int i = threadIdx.x; i < wide; i += threads) {
        sum_of<T> sum = 0;
#pragma unroll 4
        for (int r = 0; r < tall; ++r) sum += v[r] * widen(top[std::int64_t(r) * line + i]);
        sums[i] = sum;
      }
      __syncthreads();
      if (const int e = start + threadIdx.x; e < stop) {
        const int col = e / s.channels, c = e - col * s.channels;
        const auto* const h =
            static_cast<const sum_of<T>*>(cols.weights) + std::int64_t(col) * cols.most;
        const sum_of<T>* const here = sums + cols.first[col] * s.channels - first + c;
        sum_of<T> sum = 0;
        for (int k = 0; k < cols.count[col]; ++k) sum += h[k] * here[k * s.channels];
        y[(image * s.out_height + row) * out_line + e] = finish<T>(sum);
      }
      __syncthreads();  // before the next row's sums
    }
}

// No block's results lie above more pixels than that.
std::int64_t shared_bytes(const Args& args) {
  const Shape s = Shape::of(args);
  const Axis across = Axis::of(s.width, s.out_width, args.antialias);
  const std::int64_t results = ceil_div(threads, s.channels) + 1;
  const std::int64_t pixels = ceil_div(results * s.width, s.out_width) + across.most() + 2;
  return std::min<std::int64_t>(pixels, s.width) * s.channels * 4;
}

void launch(const Args& args, cudaStream_t stream) {
  check_sizes(args);
  if (args.y.size() == 0) return;
  const Tables tables = Tables::of(args);
  const Shape s = Shape::of(args);
  const dim3 grid(grid_x(std::int64_t(s.out_width) * s.channels, threads),
                  static_cast<unsigned>(std::min(s.out_height, 65535)),
                  static_cast<unsigned>(std::min<std::int64_t>(args.x.shape[0], 65535)));
  dispatch_image(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    tables.fill<T>(stream);
    columns_first<T><<<grid, threads, static_cast<std::size_t>(shared_bytes(args)), stream>>>(
        args.x.as<T>(), args.y.as<T>(), s, tables.rows, tables.cols, args.x.shape[0]);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string fits(const Args& args) {
  if (args.y.size() == 0) return "";
  if (args.x.shape[2] * args.x.shape[3] >= std::int64_t(1) << 31 ||
      args.y.shape[2] * args.y.shape[3] >= std::int64_t(1) << 31)
    return "a row must have less than 2^31 elements";
  return shared_bytes(args) <= 48 << 10 ? "" : "the pixels below 256 results must fit into 48 KiB";
}

std::string preferred(const Args& args) {
  return args.x.shape[1] >= 4 * args.y.shape[1]
             ? ""
             : "each result visits few pixels: 02 is faster from 4k to 1080p";
}

WARPATH_RUNG(Args, launch, .supports = fits, .preferred = preferred, .scratch = table_bytes);

}  // namespace
}  // namespace warpath::resize
