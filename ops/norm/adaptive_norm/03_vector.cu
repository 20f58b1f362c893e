// The token lives in registers: sixteen bytes per load, every element read once, written once.
//
// What changed: a thread keeps its elements from load to store (row.cuh), so that the mean and the variance are two exact
// passes over registers. Blocks do not cross from one image to the next, so that a block finds its image by one division
// and the scale and shift that it reads are those of the block before: they come from L1 or L2.
// Limit: the memory. Rows over 8192 elements, or with scales that are not side by side, are left to the rungs before.
#include "core/host/dispatch.cuh"
#include "ops/norm/adaptive_norm/adaptive_norm.h"
#include "ops/norm/adaptive_norm/per_image.cuh"

namespace warpath::adaptive_norm {
namespace {

using norm::Row, norm::RowSlots, norm::row_sum, norm::most_threads;

template <class T, int N, int Items>
__global__ void __launch_bounds__(most_threads)
    vectorised(const T* x, PerImage<const T> scale, PerImage<const T> shift, T* y, float* means,
               float* rstds, float eps, std::int64_t tokens, int cols) {
  __shared__ RowSlots sum_slots, square_slots;
  const unsigned blocks = unsigned((tokens + blockDim.y - 1) / blockDim.y);  // per image
  const std::int64_t image = blockIdx.x / blocks;
  const std::int64_t token = std::int64_t(blockIdx.x % blocks) * blockDim.y + threadIdx.y;
  const std::int64_t row = image * tokens + token;
  const int inside = token < tokens ? cols : 0;  // no early return: a barrier follows
  Row<T, N, Items> part;                         // (N * Items) of this thread
  part.load(x + row * cols, inside);

  float sum = 0;
  part.for_each(inside, [&](const float(&v)[N], int) {
#pragma unroll
    for (int n = 0; n < N; ++n) sum += v[n];
  });
  const float mean = row_sum(sum, sum_slots) / float(cols);
  float squares = 0;
  part.for_each(inside, [&](const float(&v)[N], int) {
#pragma unroll
    for (int n = 0; n < N; ++n) squares += (v[n] - mean) * (v[n] - mean);
  });
  const float rstd = rsqrtf(row_sum(squares, square_slots) / float(cols) + eps);

  const T *w_row = scale.data + image * scale.row, *b_row = shift.data + image * shift.row;
  part.for_each(inside, [&](float(&v)[N], int column) {
    float w[N], b[N];
    norm::to_floats(load<N>(w_row + column), w);
    norm::to_floats(load<N>(b_row + column), b);
#pragma unroll
    for (int n = 0; n < N; ++n) v[n] = (v[n] - mean) * rstd * (1.0f + w[n]) + b[n];
    store<N>(y + row * cols + column, norm::from_floats<T>(v));
  });
  if (threadIdx.x != 0 || inside == 0) return;
  if (means) means[row] = mean;
  if (rstds) rstds[row] = rstd;
}

void launch(const Forward& args, cudaStream_t stream) {
  const std::int64_t images = args.x.shape[0], tokens = args.x.shape[1], cols = args.x.shape[2];
  if (images * tokens == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto with = [&](auto width) {
      constexpr int N = decltype(width)::value, items = N > 1 ? 4 : 8;
      const dim3 block = norm::row_block(cols, N * items, 128);
      vectorised<T, N, items><<<grid_x(images * ceil_div(tokens, block.y), 1), block, 0, stream>>>(
          args.x.as<T>(), PerImage<const T>(args.scale), PerImage<const T>(args.shift),
          args.y.as<T>(), args.mean.as<float>(), args.rstd.as<float>(),
          static_cast<float>(args.eps), tokens, int(cols));
    };
    const bool aligned = rows_aligned<T>(args.scale) && rows_aligned<T>(args.shift);
    with_width<T>(cols, aligned, with, args.x.as<T>(), args.y.as<T>());
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string supports(const Forward& args) {
  if (args.x.shape[2] > 8 * most_threads) return "holds rows of up to 8192 elements";
  return side_by_side(args.scale) && side_by_side(args.shift) ? "" : needs_side_by_side();
}

WARPATH_RUNG(Forward, launch, .supports = supports);

}  // namespace
}  // namespace warpath::adaptive_norm
