// Long rows stay in the shared memory of a cluster of blocks: read once, at any vocabulary.
//
// What changed: a row of 50257 logits is more than the registers of a block hold, but not more than
// the shared memory of two. Up to 16 blocks of a cluster share a row. Each fetches its part by
// asynchronous copies into shared memory (staged.cuh), two vectors per thread into registers, so
// that at most 68 KiB per block are shared memory and three or four blocks fit on an SM: while one
// reduces, the others load and store. The blocks exchange their maxima and sums through distributed
// shared memory, and the gradient is computed from the stage.
// Limit: the memory. Every block of a cluster waits for the slowest, and the counting of labels and
// the sum of the losses are launches of their own, a few microseconds each.
#include "ops/softmax/cross_entropy/call.cuh"
#include "ops/softmax/staged.cuh"

namespace warpath::cross_entropy {
namespace {

constexpr int threads = 256;
constexpr int kept = 2;                               // vectors per thread in registers
constexpr std::int64_t part_bytes = (68 + 8) * 1024;  // 8 KiB of them in registers
constexpr std::int64_t shortest = 16 * 1024;          // words; below, 04 is faster

struct Seen {
  Stat stat;
  float sum;
};

template <class T>
__global__ void __launch_bounds__(threads, 4)
    staged(const T* logits, T* dlogits, Tokens tokens, int block_words) {
  constexpr int N = lanes_of_16<T>;
  extern __shared__ uint4 stage[];
  __shared__ Stat slots[threads / 32];
  __shared__ float sums[threads / 32];
  __shared__ ClusterMailbox<Seen, largest_cluster> mailbox;
  const auto cluster = cooperative_groups::this_cluster();
  cluster.barrier_arrive();  // "this block has started"; waited for after the loads

  const int blocks = cluster.num_blocks();
  const std::int64_t row = blockIdx.x / blocks;
  const int first = cluster.block_rank() * block_words;
  const T* x = logits + row * tokens.words;
  const StagedPart<T, N, kept, threads> part(x + first, min(block_words, tokens.words - first),
                                             stage);
  const Target target(tokens, row);
  const float logit = target.logit(x);
  __pipeline_wait_prior(0);

  Seen own{nothing(), 0};
  part.for_each([&](const auto& v, int, int) {
    own.stat.max = fmaxf(own.stat.max, largest(v));
    if (tokens.smoothing != 0) own.sum += sum_of(v);
  });
  part.for_each([&]<int M>(const Vector<T, M>& v, int, int) {
    float e[M];
    to_floats(v, e);
#pragma unroll
    for (int n = 0; n < M; ++n) own.stat.sum += exp_from(e[n], own.stat.max);
  });
  own.stat = block_join<threads>(own.stat, slots);
  if (tokens.smoothing != 0) own.sum = block_reduce<threads>(own.sum, Sum{}, sums);
  cluster.barrier_wait();
  mailbox.post(own);
  cluster.sync();  // and every block has read the label's logit

  Seen all{nothing(), 0};
  for (int b = 0; b < blocks; ++b) {
    all.stat = join(all.stat, mailbox.from[b].stat);
    all.sum += mailbox.from[b].sum;
  }
  if (threadIdx.x == 0 && first == 0) write_token(tokens, row, target, all.stat, logit, all.sum);
  if (!dlogits) return;
  const Slope slope(tokens, target, all.stat, gradient_scale(tokens));
  part.for_each([&]<int M>(const Vector<T, M>& v, int c, int) {
    store<M>(dlogits + row * tokens.words + first + c, slope.of(v, first + c));
  });
}

template <class Args>
void launch(const Args& args, cudaStream_t stream) {
  launch_forward(args, stream, [&]<class T>(const Tokens& tokens, Tag<T>) {
    const StagedSplit split = split_staged(tokens.words, tokens.words * std::int64_t(sizeof(T)),
                                           part_bytes, lanes_of_16<T>);
    const std::int64_t in_registers = StagedPart<T, lanes_of_16<T>, kept, threads>::kept_bytes;
    const auto shared = static_cast<std::size_t>(
        std::max<std::int64_t>(0, stage_bytes<T>(split.block_cols) - in_registers));
    const ClusterLaunch launch{split.cluster, threads, shared, stream};
    launch(staged<T>, grid_x(tokens.rows, 1), args.logits.template as<const T>(),
           dlogits_of<T>(args), tokens, static_cast<int>(split.block_cols));
  });
}

template <class Args>
std::string supports(const Args& args) {
  if (args.logits.shape[1] * std::int64_t(size_of(args.logits.dtype)) >
      largest_cluster * part_bytes)
    return "takes rows of at most 1216 KiB: what 16 blocks hold";
  return cut_supported(args);
}

template <class Args>
std::string preferred(const Args& args) {
  if (std::is_same_v<Args, Forward>)
    return "the loss alone reads its row once in any case, and 03 keeps more loads in flight";
  return args.logits.shape[1] > shortest ? "" : "rows of up to 16384 words fit registers: 04";
}

WARPATH_RUNG(Forward, launch<Forward>, .supports = supports<Forward>,
             .preferred = preferred<Forward>, .scratch = scratch_bytes<Forward>);
WARPATH_RUNG(Gradient, launch<Gradient>, .supports = supports<Gradient>,
             .preferred = preferred<Gradient>, .scratch = scratch_bytes<Gradient>);

}  // namespace
}  // namespace warpath::cross_entropy
