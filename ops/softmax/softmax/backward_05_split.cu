// Rows too long for one block are shared out among many.
//
// What changed: a row over 32768 elements is cut into parts of 16384; a first launch leaves each
// part's sum in scratch memory, a second one adds up the sums of its row, in a fixed order, and
// writes.
// Limit: y and dy are read twice. The second read comes from the L2 cache only while they fit
// there.
#include "core/host/dispatch.cuh"
#include "ops/softmax/softmax/softmax.h"
#include "ops/softmax/softmax/split.cuh"

namespace warpath::softmax {
namespace {

template <class T, int N>
using SplitPart = BackwardPart<T, N, elements_a_thread / N, split_threads>;

template <class T, int N>
__global__ void __launch_bounds__(split_threads)
    part_dots(const T* y, const T* dy, float* dots, std::int64_t parts, std::int64_t cols) {
  __shared__ float slots[split_threads / 32];
  const Place at = place_of(blockIdx.x, parts, cols);
  const std::int64_t start = at.row * cols + at.first;
  const SplitPart<T, N> part(y + start, dy + start, at.cols, threadIdx.x);
  const float dot = block_reduce<split_threads>(part.own, Sum{}, slots);
  if (threadIdx.x == 0) dots[blockIdx.x] = dot;
}

template <class T, int N>
__global__ void __launch_bounds__(split_threads)
    part_store(const T* y, const T* dy, T* dx, const float* dots, std::int64_t parts,
               std::int64_t cols) {
  const Place at = place_of(blockIdx.x, parts, cols);
  const std::int64_t start = at.row * cols + at.first;
  const SplitPart<T, N> part(y + start, dy + start, at.cols, threadIdx.x);
  float dot = 0;
  for (std::int64_t p = threadIdx.x % 32; p < parts; p += 32) dot += dots[at.row * parts + p];
  part.store(dx + start, threadIdx.x, warp_reduce(dot, Sum{}));
}

template <class T, int N>
void launch_split(const Backward& args, cudaStream_t stream) {
  const std::int64_t rows = args.y.shape[0], cols = args.y.shape[1], parts = parts_of(cols);
  const T *y = args.y.as<T>(), *dy = args.dy.as<T>();
  float* dots = static_cast<float*>(args.scratch.data);
  const unsigned blocks = grid_x(rows * parts, 1);
  part_dots<T, N><<<blocks, split_threads, 0, stream>>>(y, dy, dots, parts, cols);
  part_store<T, N><<<blocks, split_threads, 0, stream>>>(y, dy, args.dx.as<T>(), dots, parts, cols);
}

void launch(const Backward& args, cudaStream_t stream) {
  const std::int64_t rows = args.y.shape[0], cols = args.y.shape[1];
  if (rows * cols == 0) return;
  dispatch_float(args.y.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T *y = args.y.as<T>(), *dy = args.dy.as<T>();
    T* dx = args.dx.as<T>();
    const auto by_width = [&](auto width) { launch_split<T, decltype(width)::n>(args, stream); };
    if (cols <= longest_block_row)
      launch_row_backward(y, dy, dx, rows, cols, stream);
    else
      with_cut<T>(by_width, y, dy, dx);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t scratch_bytes(const Backward& args) {
  return args.y.shape[0] * parts_of(args.y.shape[1]) * static_cast<std::int64_t>(sizeof(float));
}

WARPATH_RUNG(Backward, launch, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::softmax
