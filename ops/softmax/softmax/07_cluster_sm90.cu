// A cluster of blocks holds a long row in its registers: read once, written once, at any length
// up to 512k.
//
// What changed: up to 16 blocks of one cluster share a row. Each keeps its part in registers as in
// 05; their Stats are exchanged through distributed shared memory, where a block writes directly
// into its neighbours' memory, and two cluster barriers replace the second read of x. Rows of up to
// 16k elements are left to the row kernels of 05; rows over 512k are refused, and taken by 06.
// Limit: waiting. The registers of an SM hold two blocks, and each block waits for the slowest of
// up to 16 in its cluster: too little is in flight meanwhile.
#include "core/host/dispatch.cuh"
#include "ops/softmax/softmax/softmax.h"
#include "ops/softmax/softmax/split.cuh"
#include "ops/softmax/staged.cuh"

namespace warpath::softmax {
namespace {

template <class T, int N, int Threads>
__global__ void __launch_bounds__(Threads) clustered(const T* x, T* y, std::int64_t cols) {
  using Part = ForwardPart<T, N, elements_a_thread / N, Threads>;
  __shared__ Stat slots[Threads / 32];
  __shared__ ClusterMailbox<Stat, largest_cluster> mailbox;
  const auto cluster = cooperative_groups::this_cluster();
  cluster.barrier_arrive();  // "this block has started"; waited for after the loads
  const int blocks = cluster.num_blocks();
  const std::int64_t row = blockIdx.x / blocks;
  const std::int64_t first = std::int64_t(cluster.block_rank()) * Part::Part::size;
  const int mine = Part::Part::inside(cols - first);  // may be 0 in a cluster's last blocks
  const Part part(x + row * cols + first, mine, threadIdx.x);
  const Stat own = block_join<Threads>(part.own, slots);
  cluster.barrier_wait();
  mailbox.post(own);
  cluster.sync();

  Stat all = nothing();
  for (int b = 0; b < blocks; ++b) all = join(all, mailbox.from[b]);
  part.store(y + row * cols + first, threadIdx.x, all);
}

template <class T, int N, int Threads>
void launch_clustered(const Forward& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  unsigned cluster = 1;
  while (std::int64_t(cluster) * Threads * elements_a_thread < cols) cluster *= 2;
  const ClusterLaunch launch{cluster, Threads, 0, stream};
  launch(clustered<T, N, Threads>, grid_x(rows, 1), args.x.as<const T>(), args.y.as<T>(), cols);
}

std::int64_t longest_row(int threads) {
  return std::int64_t(largest_cluster) * threads * elements_a_thread;
}

void launch(const Forward& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows * cols == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto by_width = [&](auto width) {
      constexpr int N = decltype(width)::n;
      if (cols <= longest_row(512))
        launch_clustered<T, N, 512>(args, stream);
      else
        launch_clustered<T, N, 1024>(args, stream);
    };
    if (cols <= part_elements)
      launch_row_forward(args.x.as<const T>(), args.y.as<T>(), rows, cols, stream);
    else
      with_cut<T>(by_width, args.x.as<T>(), args.y.as<T>());
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string supports(const Forward& args) {
  return args.x.shape[1] <= longest_row(1024)
             ? ""
             : "takes rows of at most 524288 elements: 16 blocks' registers";
}

WARPATH_RUNG(Forward, launch, .supports = supports);

}  // namespace
}  // namespace warpath::softmax
