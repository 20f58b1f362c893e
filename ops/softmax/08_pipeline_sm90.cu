// While a row is worked on, the next one is already on its way: the memory never waits.
//
// What changed: as many clusters as the GPU holds stay for good and walk over the rows. A block
// keeps the current row's part in registers, as in 07; its shared memory is the waiting room into
// which the next part is copied asynchronously meanwhile. Reductions, cluster barriers and
// exponentials now cost no bandwidth. Two mailboxes take turns, so that a row needs one cluster
// barrier: nobody can be two rows ahead. Limit: the memory. Rows that do not start at 16-byte
// boundaries are loaded without the waiting room.
#include "core/cluster.cuh"
#include "core/dispatch.cuh"
#include "softmax.h"
#include "split.cuh"

namespace warpath::softmax {
namespace {

template <class T, int N>
__global__ void __launch_bounds__(split_threads, 2)
    pipelined(const T* x, T* y, std::int64_t rows, std::int64_t cols, std::int64_t block_cols) {
  using Forward = ForwardPart<T, N, elements_a_thread / N, split_threads>;
  using Part = typename Forward::Part;
  extern __shared__ uint4 stage_bytes[];
  auto& stage = *reinterpret_cast<typename Part::Stage*>(stage_bytes);
  __shared__ Stat slots[split_threads / 32];
  __shared__ ClusterMailbox<Stat, largest_cluster> mailboxes[2];
  constexpr bool staged = N > 1;

  const auto cluster = cooperative_groups::this_cluster();
  const int blocks = cluster.num_blocks(), thread = threadIdx.x;
  const std::int64_t first = cluster.block_rank() * block_cols;
  const int mine = Part::inside(min(block_cols, cols - first));  // 0 in a block without work
  const std::int64_t step = gridDim.x / blocks;
  std::int64_t row = blockIdx.x / blocks;
  x += first;
  y += first;

  cluster.sync();
  if constexpr (staged) Part::start(stage, x + row * cols, mine, thread);
  for (int turn = 0; row < rows; row += step, turn ^= 1) {
    Part raw;
    if constexpr (staged) {
      raw.finish(stage, mine, thread);
      if (row + step < rows) Part::start(stage, x + (row + step) * cols, mine, thread);
    } else {
      raw.load(x + row * cols, mine, thread);
    }
    Forward part;
    part.digest(raw, mine, thread);
    mailboxes[turn].post(block_join<split_threads>(part.own, slots));
    cluster.sync();
    Stat all = nothing();
    for (int b = 0; b < blocks; ++b) all = join(all, mailboxes[turn].from[b]);
    part.store(y + row * cols, mine, thread, all);
  }
}

template <class T, int N>
void launch_pipelined(const Forward& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  const ClusterSplit split = split_for_cluster(cols, N);
  const std::size_t stage = N > 1 ? part_elements * sizeof(T) : 0;
  const ClusterLaunch launch{split.cluster, split_threads, stage, stream};
  auto* const kernel = pipelined<T, N>;
  const auto clusters =
      static_cast<unsigned>(std::min<std::int64_t>(rows, launch.resident_clusters(kernel)));
  launch(kernel, clusters, args.x.as<const T>(), args.y.as<T>(), rows, cols, split.block_cols);
}

void launch(const Forward& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows * cols == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (cols <= part_elements / 2)
      launch_row_forward(args.x.as<const T>(), args.y.as<T>(), rows, cols, stream);
    else if (cols % lanes_of_16<T> == 0 && args.x.is_aligned(16) && args.y.is_aligned(16))
      launch_pipelined<T, lanes_of_16<T>>(args, stream);
    else
      launch_pipelined<T, 1>(args, stream);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string supports(const Forward& args) {
  return args.x.shape[1] <= longest_cluster_row
             ? ""
             : "takes rows of at most 262144 elements: 16 blocks' registers";
}

WARPATH_RUNG(Forward, launch, .supports = supports);

}  // namespace
}  // namespace warpath::softmax
