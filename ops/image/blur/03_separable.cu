// Two passes, along the columns and then along the rows: 2 * size visits instead of size * size.
//
// What changed: the weights of both blurs are a product of one for the row and one for the column, so the sum over a
// column can be taken first. The sums between the passes are in scratch memory, as floats or 32-bit integers, so that
// nothing is rounded twice.
// Limit: the instructions, 64-bit divisions and the border among them. For bytes, 8 bytes per element move besides the 2 of the op.
#include "core/host/launch.h"
#include "ops/image/blur/taps.cuh"

namespace warpath::blur {
namespace {

constexpr int threads = 256;

template <class T>
__global__ void along_columns(const T* x, sum_of<T>* sums, const __grid_constant__ Taps<T> taps,
                              Image image, std::int64_t n) {
  const std::int64_t i = std::int64_t(blockIdx.x) * threads + threadIdx.x;
  if (i >= n) return;
  const int line = image.line(), row = int(i / line % image.height);
  sum_of<T> sum = 0;
  for (int v = -taps.radius; v <= taps.radius; ++v) {
    const int at = place(row + v, image.height, taps.border);
    if (at >= 0) sum += taps[v + taps.radius] * widen(x[i + std::int64_t(at - row) * line]);
  }
  sums[i] = sum;
}

template <class T>
__global__ void along_rows(const sum_of<T>* sums, T* y, const __grid_constant__ Taps<T> taps,
                           Image image, std::int64_t n) {
  const std::int64_t i = std::int64_t(blockIdx.x) * threads + threadIdx.x;
  if (i >= n) return;
  const int col = int(i / image.channels % image.width);
  sum_of<T> sum = 0;
  for (int h = -taps.radius; h <= taps.radius; ++h) {
    const int beside = place(col + h, image.width, taps.border);
    if (beside >= 0)
      sum += taps[h + taps.radius] * sums[i + std::int64_t(beside - col) * image.channels];
  }
  y[i] = taps.finish(sum);
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t n = args.x.size();
  check_size(args);
  if (n == 0) return;
  dispatch_image(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Taps<T> taps = Taps<T>::of(args);
    const Image image = Image::of(args.x);
    auto* const sums = static_cast<sum_of<T>*>(args.scratch.data);
    along_columns<T>
        <<<grid_x(n, threads), threads, 0, stream>>>(args.x.as<T>(), sums, taps, image, n);
    along_rows<T><<<grid_x(n, threads), threads, 0, stream>>>(sums, args.y.as<T>(), taps, image, n);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t scratch_bytes(const Args& args) {
  return args.x.size() * 4;
}

WARPATH_RUNG(Args, launch, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::blur
