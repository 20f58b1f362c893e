// A cluster of blocks holds a long row of y and of dy in its registers: each is read once.
//
// What changed: up to 16 blocks of one cluster share a row; their sums are exchanged through
// distributed shared memory, as in the forward pass (07_cluster_sm90.cu). Rows over 256k are
// refused, and taken by 05.
// Limit: waiting, as in the forward pass: a block waits for the slowest of up to 16.
#include "core/host/dispatch.cuh"
#include "ops/softmax/softmax/softmax.h"
#include "ops/softmax/softmax/split.cuh"
#include "ops/softmax/staged.cuh"

namespace warpath::softmax {
namespace {

template <class T, int N>
__global__ void __launch_bounds__(split_threads)
    clustered(const T* y, const T* dy, T* dx, std::int64_t cols) {
  using Part = BackwardPart<T, N, elements_a_thread / N, split_threads>;
  __shared__ float slots[split_threads / 32];
  __shared__ ClusterMailbox<float, largest_cluster> mailbox;
  const auto cluster = cooperative_groups::this_cluster();
  cluster.barrier_arrive();  // "this block has started"; waited for after the loads
  const int blocks = cluster.num_blocks();
  const std::int64_t first = std::int64_t(cluster.block_rank()) * Part::Part::size;
  const std::int64_t start = blockIdx.x / blocks * cols + first;
  const int mine = Part::Part::inside(cols - first);  // may be 0 in a cluster's last blocks
  const Part part(y + start, dy + start, mine, threadIdx.x);
  const float own = block_reduce<split_threads>(part.own, Sum{}, slots);
  cluster.barrier_wait();
  mailbox.post(own);
  cluster.sync();

  float dot = 0;
  for (int b = 0; b < blocks; ++b) dot += mailbox.from[b];
  part.store(dx + start, threadIdx.x, dot);
}

void launch(const Backward& args, cudaStream_t stream) {
  const std::int64_t rows = args.y.shape[0], cols = args.y.shape[1];
  if (rows * cols == 0) return;
  dispatch_float(args.y.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T *y = args.y.as<T>(), *dy = args.dy.as<T>();
    T* dx = args.dx.as<T>();
    if (cols <= part_elements) {
      launch_row_backward(y, dy, dx, rows, cols, stream);
      return;
    }
    unsigned cluster = 1;
    while (std::int64_t(cluster) * part_elements < cols) cluster *= 2;
    const ClusterLaunch launch{cluster, split_threads, 0, stream};
    const auto by_width = [&](auto width) {
      launch(clustered<T, decltype(width)::n>, grid_x(rows, 1), y, dy, dx, cols);
    };
    with_cut<T>(by_width, y, dy, dx);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string supports(const Backward& args) {
  return args.y.shape[1] <= std::int64_t(largest_cluster) * part_elements
             ? ""
             : "takes rows of at most 262144 elements: 16 blocks' registers";
}

WARPATH_RUNG(Backward, launch, .supports = supports);

}  // namespace
}  // namespace warpath::softmax
