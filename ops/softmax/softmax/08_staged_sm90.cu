// The row is staged in shared memory, and three blocks per SM overlap loads, arithmetic and stores.
//
// What changed: a part of a row is fetched by asynchronous copies, so that it takes no registers
// while in flight; three blocks of 64 KiB fit on an SM instead of two, and while one computes the
// others load and store. Parts are as large as that allows: in a cluster every block waits for the
// slowest, and fewer blocks wait less. Rows over 512 KiB keep a quarter of each part in registers,
// which leaves room for two blocks per SM. exp is computed twice, once for the sum and once for the
// result: cheaper than keeping it.
// Limit: the memory, up to 64k elements. In clusters of 8, waiting for the other blocks costs about
// a tenth.
#include "core/host/dispatch.cuh"
#include "ops/softmax/softmax/softmax.h"
#include "ops/softmax/softmax/split.cuh"
#include "ops/softmax/staged.cuh"

namespace warpath::softmax {
namespace {

template <class T>
constexpr int threads = sizeof(T) == 4 ? 512 : 256;

template <class T, class W, int Kept>
__global__ void __launch_bounds__(threads<T>, Kept > 0         ? 2
                                              : sizeof(T) == 4 ? 3
                                                               : 4)
    staged(const T* x, T* y, std::int64_t cols, std::int64_t block_cols) {
  extern __shared__ uint4 stage[];
  __shared__ Stat slots[threads<T> / 32];
  __shared__ ClusterMailbox<Stat, largest_cluster> mailbox;
  const auto cluster = cooperative_groups::this_cluster();
  cluster.barrier_arrive();  // "this block has started"; waited for after the loads

  const int blocks = cluster.num_blocks();
  const std::int64_t first = cluster.block_rank() * block_cols;
  const std::int64_t mine = min(block_cols, cols - first);  // 0 or less in a block without work
  const std::int64_t start = blockIdx.x / blocks * cols + first;
  const StagedPart<T, W::n, Kept, threads<T>, W::whole> part(x + start, mine, stage);
  __pipeline_wait_prior(0);

  Stat own = nothing();
  part.for_each([&](const auto& v, int, int) { own.max = fmaxf(own.max, largest(v)); });
  part.for_each([&]<int M>(const Vector<T, M>& v, int, int) {
#pragma unroll
    for (int n = 0; n < M; ++n) own.sum += exp_from(to_float(v.at[n]), own.max);
  });
  own = block_join<threads<T>>(own, slots);
  cluster.barrier_wait();
  mailbox.post(own);
  cluster.sync();

  Stat row = nothing();
  for (int b = 0; b < blocks; ++b) row = join(row, mailbox.from[b]);
  const float scale = -log2f(row.sum);
  part.for_each([&]<int M>(const Vector<T, M>& v, int column, int) {
    Vector<T, M> out;
#pragma unroll
    for (int n = 0; n < M; ++n)
      out.at[n] = from_float<T>(exp_from(to_float(v.at[n]), row.max, scale));
    store<M>(y + start + column, out);
  });
}

template <class T, class W, int Kept>
void launch_staged(const Forward& args, std::int64_t part_bytes, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  const StagedSplit split = split_staged(cols, cols * sizeof(T), part_bytes, W::n);
  const std::int64_t kept_bytes = StagedPart<T, W::n, Kept, threads<T>>::kept_bytes;
  const auto shared = static_cast<std::size_t>(
      std::max<std::int64_t>(0, stage_bytes<T>(split.block_cols) - kept_bytes));
  const ClusterLaunch launch{split.cluster, threads<T>, shared, stream};
  launch(staged<T, W, Kept>, grid_x(rows, 1), args.x.as<const T>(), args.y.as<T>(), cols,
         split.block_cols);
}

void launch(const Forward& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows * cols == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto by_width = [&]<class W>(W) {
      // Single elements stay in shared memory: that path is rare, and need not be fast.
      constexpr int kept = W::n == 1 ? 0 : large_part / 4 / (threads<T> * W::n * sizeof(T));
      if (cols * std::int64_t(sizeof(T)) <= 8 * small_part)
        launch_staged<T, W, 0>(args, small_part, stream);
      else
        launch_staged<T, W, kept>(args, large_part, stream);
    };
    if (cols <= longest_row_kernel)
      launch_row_forward(args.x.as<const T>(), args.y.as<T>(), rows, cols, stream);
    else
      with_width<T>(cols, by_width, args.x.as<T>(), args.y.as<T>());
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string supports(const Forward& args) {
  return args.x.shape[1] * std::int64_t(size_of(args.x.dtype)) <= largest_cluster * large_part
             ? ""
             : "takes rows of at most 2 MiB: what 16 blocks hold";
}

WARPATH_RUNG(Forward, launch, .supports = supports);

}  // namespace
}  // namespace warpath::softmax
