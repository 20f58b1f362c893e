// The rows are staged in shared memory, and three blocks per SM overlap loads, arithmetic and
// stores.
//
// What changed: y and dy are fetched by asynchronous copies, as in the forward pass
// (08_staged_sm90.cu), 64 KiB per block. When 16 such blocks cannot hold the row, dy is kept in
// registers instead, and a block takes twice as much.
// Limit: the memory, up to 64k elements. In clusters of 16, waiting for the other blocks costs
// about a tenth.
#include "core/host/dispatch.cuh"
#include "ops/softmax/softmax/softmax.h"
#include "ops/softmax/softmax/split.cuh"
#include "ops/softmax/staged.cuh"

namespace warpath::softmax {
namespace {

constexpr int threads = 512;

// Kept: vectors of dy that a thread keeps in registers; 0: dy is staged after y.
template <class T, class W, int Kept>
__global__ void __launch_bounds__(threads, Kept == 0 ? 3 : 2)
    staged(const T* y, const T* dy, T* dx, std::int64_t cols, std::int64_t block_cols) {
  extern __shared__ uint4 stage[];
  __shared__ float slots[threads / 32];
  __shared__ ClusterMailbox<float, largest_cluster> mailbox;
  const auto cluster = cooperative_groups::this_cluster();
  cluster.barrier_arrive();  // "this block has started"; waited for after the loads

  const int blocks = cluster.num_blocks();
  const std::int64_t first = cluster.block_rank() * block_cols;
  const std::int64_t mine = min(block_cols, cols - first);  // 0 or less in a block without work
  const std::int64_t start = blockIdx.x / blocks * cols + first;
  const StagedPart<T, W::n, 0, threads, W::whole> y_part(y + start, mine, stage);
  const StagedPart<T, W::n, Kept, threads, W::whole> dy_part(
      dy + start, mine, reinterpret_cast<char*>(stage) + stage_bytes<T>(block_cols));
  __pipeline_wait_prior(0);

  float dot = 0;
  dy_part.for_each([&]<int M>(const Vector<T, M>& v, int, int i) {
    const Vector<T, M> w = y_part.template staged<M>(i);
#pragma unroll
    for (int n = 0; n < M; ++n) dot += to_float(w.at[n]) * to_float(v.at[n]);
  });
  dot = block_reduce<threads>(dot, Sum{}, slots);
  cluster.barrier_wait();
  mailbox.post(dot);
  cluster.sync();

  dot = 0;
  for (int b = 0; b < blocks; ++b) dot += mailbox.from[b];
  dy_part.for_each([&]<int M>(const Vector<T, M>& v, int column, int i) {
    const Vector<T, M> w = y_part.template staged<M>(i);
    Vector<T, M> out;
#pragma unroll
    for (int n = 0; n < M; ++n)
      out.at[n] = from_float<T>(to_float(w.at[n]) * (to_float(v.at[n]) - dot));
    store<M>(dx + start + column, out);
  });
}

template <class T, class W, int Kept>
void launch_staged(const Backward& args, std::int64_t part_bytes, cudaStream_t stream) {
  const std::int64_t rows = args.y.shape[0], cols = args.y.shape[1];
  const StagedSplit split = split_staged(cols, 2 * cols * sizeof(T), part_bytes, W::n);
  const std::int64_t shared = stage_bytes<T>(split.block_cols) * (Kept == 0 ? 2 : 1);
  const ClusterLaunch launch{split.cluster, threads, static_cast<std::size_t>(shared), stream};
  launch(staged<T, W, Kept>, grid_x(rows, 1), args.y.as<const T>(), args.dy.as<const T>(),
         args.dx.as<T>(), cols, split.block_cols);
}

void launch(const Backward& args, cudaStream_t stream) {
  const std::int64_t rows = args.y.shape[0], cols = args.y.shape[1];
  if (rows * cols == 0) return;
  dispatch_float(args.y.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T *y = args.y.as<T>(), *dy = args.dy.as<T>();
    T* dx = args.dx.as<T>();
    const auto by_width = [&]<class W>(W) {
      constexpr int kept = large_part / 2 / (threads * W::n * sizeof(T));
      if (2 * cols * std::int64_t(sizeof(T)) <= largest_cluster * small_part)
        launch_staged<T, W, 0>(args, small_part, stream);
      else
        launch_staged<T, W, kept>(args, large_part, stream);
    };
    if (cols <= longest_row_kernel)
      launch_row_backward(y, dy, dx, rows, cols, stream);
    else
      with_width<T>(cols, by_width, y, dy, dx);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string supports(const Backward& args) {
  return 2 * args.y.shape[1] * std::int64_t(size_of(args.y.dtype)) <= largest_cluster * large_part
             ? ""
             : "takes rows of at most 1 MiB: what 16 blocks hold of both";
}

WARPATH_RUNG(Backward, launch, .supports = supports);

}  // namespace
}  // namespace warpath::softmax
