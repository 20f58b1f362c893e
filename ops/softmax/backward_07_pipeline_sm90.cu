// While a row is worked on, the next one is already on its way: the memory never waits.
//
// What changed: as many clusters as the GPU holds stay for good and walk over the rows. The current
// parts of y and dy are in registers, the next ones on their way into shared memory, as in the
// forward pass (08_pipeline_sm90.cu). Limit: the memory. Rows that do not start at 16-byte
// boundaries are loaded without the waiting room.
#include "core/cluster.cuh"
#include "core/dispatch.cuh"
#include "softmax.h"
#include "split.cuh"

namespace warpath::softmax {
namespace {

template <class T, int N>
__global__ void __launch_bounds__(split_threads, sizeof(T) == 2 ? 2 : 1)
    pipelined(const T* y, const T* dy, T* dx, std::int64_t rows, std::int64_t cols,
              std::int64_t block_cols) {
  using Backward = BackwardPart<T, N, elements_a_thread / N, split_threads>;
  using Part = typename Backward::Part;
  extern __shared__ uint4 stage_bytes[];
  auto& stages = *reinterpret_cast<typename Part::Stage(*)[2]>(stage_bytes);  // of y, of dy
  __shared__ float slots[split_threads / 32];
  __shared__ ClusterMailbox<float, largest_cluster> mailboxes[2];
  constexpr bool staged = N > 1;

  const auto cluster = cooperative_groups::this_cluster();
  const int blocks = cluster.num_blocks(), thread = threadIdx.x;
  const std::int64_t first = cluster.block_rank() * block_cols;
  const int mine = Part::inside(min(block_cols, cols - first));  // 0 in a block without work
  const std::int64_t step = gridDim.x / blocks;
  std::int64_t row = blockIdx.x / blocks;
  y += first;
  dy += first;
  dx += first;
  const auto start = [&](std::int64_t r) {
    Part::start(stages[0], y + r * cols, mine, thread);
    Part::start(stages[1], dy + r * cols, mine, thread);
  };

  cluster.sync();
  if constexpr (staged) start(row);
  for (int turn = 0; row < rows; row += step, turn ^= 1) {
    Backward part;
    if constexpr (staged) {
      part.y.finish(stages[0], mine, thread);
      part.dy.finish(stages[1], mine, thread);
      if (row + step < rows) start(row + step);
      part.digest(mine, thread);
    } else {
      part.load(y + row * cols, dy + row * cols, mine, thread);
    }
    mailboxes[turn].post(block_reduce<split_threads>(part.own, Sum{}, slots));
    cluster.sync();
    float dot = 0;
    for (int b = 0; b < blocks; ++b) dot += mailboxes[turn].from[b];
    part.store(dx + row * cols, mine, thread, dot);
  }
}

template <class T, int N>
void launch_pipelined(const Backward& args, cudaStream_t stream) {
  const std::int64_t rows = args.y.shape[0], cols = args.y.shape[1];
  const ClusterSplit split = split_for_cluster(cols, N);
  const std::size_t stages = N > 1 ? 2 * part_elements * sizeof(T) : 0;
  const ClusterLaunch launch{split.cluster, split_threads, stages, stream};
  auto* const kernel = pipelined<T, N>;
  const auto clusters =
      static_cast<unsigned>(std::min<std::int64_t>(rows, launch.resident_clusters(kernel)));
  launch(kernel, clusters, args.y.as<const T>(), args.dy.as<const T>(), args.dx.as<T>(), rows, cols,
         split.block_cols);
}

void launch(const Backward& args, cudaStream_t stream) {
  const std::int64_t rows = args.y.shape[0], cols = args.y.shape[1];
  if (rows * cols == 0) return;
  dispatch_float(args.y.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T *y = args.y.as<T>(), *dy = args.dy.as<T>();
    T* dx = args.dx.as<T>();
    if (cols <= part_elements / 2)
      launch_row_backward(y, dy, dx, rows, cols, stream);
    else if (cols % lanes_of_16<T> == 0 && all_aligned(16, y, dy, dx))
      launch_pipelined<T, lanes_of_16<T>>(args, stream);
    else
      launch_pipelined<T, 1>(args, stream);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string supports(const Backward& args) {
  return args.y.shape[1] <= longest_cluster_row
             ? ""
             : "takes rows of at most 262144 elements: 16 blocks' registers";
}

WARPATH_RUNG(Backward, launch, .supports = supports);

}  // namespace
}  // namespace warpath::softmax
