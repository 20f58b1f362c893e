// Rows too long for one block are shared out among many.
//
// What changed: a row over 32768 elements is cut into parts of 16384. A first launch leaves each
// part's Stat in scratch memory; a second one joins the Stats of its row (a handful; every block
// does it for itself) and writes. A few very long rows now keep the whole GPU busy.
// Limit: x is read twice. The second read comes from the L2 cache only while all of x fits
// there.
#include "core/host/dispatch.cuh"
#include "ops/softmax/softmax/softmax.h"
#include "ops/softmax/softmax/split.cuh"

namespace warpath::softmax {
namespace {

template <class T, int N>
__global__ void __launch_bounds__(split_threads)
    part_stats(const T* x, Stat* stats, std::int64_t parts, std::int64_t cols) {
  __shared__ Stat slots[split_threads / 32];
  const Place at = place_of(blockIdx.x, parts, cols);
  const ForwardPart<T, N, elements_a_thread / N, split_threads> part(x + at.row * cols + at.first,
                                                                     at.cols, threadIdx.x);
  const Stat all = block_join<split_threads>(part.own, slots);
  if (threadIdx.x == 0) stats[blockIdx.x] = all;
}

template <class T, int N>
__global__ void __launch_bounds__(split_threads)
    part_store(const T* x, T* y, const Stat* stats, std::int64_t parts, std::int64_t cols) {
  const Place at = place_of(blockIdx.x, parts, cols);
  const ForwardPart<T, N, elements_a_thread / N, split_threads> part(x + at.row * cols + at.first,
                                                                     at.cols, threadIdx.x);
  Stat row = nothing();
  for (std::int64_t p = threadIdx.x % 32; p < parts; p += 32)
    row = join(row, stats[at.row * parts + p]);
  part.store(y + at.row * cols + at.first, threadIdx.x, warp_join(row));
}

template <class T, int N>
void launch_split(const Forward& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1], parts = parts_of(cols);
  Stat* stats = static_cast<Stat*>(args.scratch.data);
  const unsigned blocks = grid_x(rows * parts, 1);
  part_stats<T, N><<<blocks, split_threads, 0, stream>>>(args.x.as<T>(), stats, parts, cols);
  part_store<T, N>
      <<<blocks, split_threads, 0, stream>>>(args.x.as<T>(), args.y.as<T>(), stats, parts, cols);
}

void launch(const Forward& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows * cols == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto by_width = [&](auto width) { launch_split<T, decltype(width)::n>(args, stream); };
    if (cols <= longest_block_row)
      launch_row_forward(args.x.as<const T>(), args.y.as<T>(), rows, cols, stream);
    else
      with_cut<T>(by_width, args.x.as<T>(), args.y.as<T>());
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t scratch_bytes(const Forward& args) {
  return args.x.shape[0] * parts_of(args.x.shape[1]) * static_cast<std::int64_t>(sizeof(Stat));
}

WARPATH_RUNG(Forward, launch, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::softmax
