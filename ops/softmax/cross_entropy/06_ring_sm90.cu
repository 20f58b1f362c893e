// The next row is on its way while this one is written: one block per SM walks over the rows.
//
// What changed: 05 loads a row, reduces it, writes its gradient and ends. Whether the memory is busy meanwhile
// depends on what the other blocks of the SM happen to do. Here a block has an SM to itself, with 208 KiB
// of shared memory as a ring: when a thread has written the gradient of a vector, it fetches the vector that is a
// whole ring further on into the same place. Nobody reads what another thread fetched, so the ring needs no barrier.
// 50257 words of 2 bytes take half of it: the row is in one SM, and no block waits for another. Longer
// rows are shared out to a cluster. An exponential is one FMA and one ex2: the subtraction of the maximum is
// part of the FMA.
// Limit: the memory.
#include <utility>

#include "core/ptx/cp_async.cuh"
#include "ops/softmax/cross_entropy/call.cuh"
#include "ops/softmax/staged.cuh"

namespace warpath::cross_entropy {
namespace {

constexpr int threads = 512;
constexpr int places = 26;           // vectors per thread in the ring
constexpr int most_row_places = 20;  // of them for one row
constexpr std::int64_t round_bytes =
    std::int64_t(threads) * sizeof(uint4);  // a place of all threads

struct Seen {
  Stat stat;
  float sum;
};

// exp(x - max) = 2^(x * factor - shift) * lost, where `lost` is what the rounding of shift took away. Next to
// a maximum of 2^100 all others are 0 whatever the factor is; there it must not overflow.
struct Exponent {
  float factor, shift, lost;

  __device__ __forceinline__ explicit Exponent(float max)
      : factor(fabsf(max) < 0x1p100f ? log2_e : 0x1p-40f), shift(shift_of(max, factor)) {
    lost = max == -INFINITY ? 1.0f : ptx::exp2(-fmaf(max, factor, -shift));
  }
  __device__ __forceinline__ float of(float x) const { return exp_scaled(x, factor, shift); }
};

// A thread's places, and what it fetches next: its vectors of this block's part of each row, in order.
template <class T>
struct Ring {
  static constexpr int N = lanes_of_16<T>;
  using V = Vector<T, N>;
  V* own;
  const T* part;   // of the row that is being fetched
  int rows_left;   // from that row on
  int words;       // of the part
  int row_places;  // for its vectors
  int next, place;

  __device__ __forceinline__ V& at(int p) const { return own[p * threads]; }

  // Into the place that is free by now. One group each, also past the end, so that the groups can be counted.
  __device__ __forceinline__ void fetch(std::int64_t stride) {
    const Cut<N> cut(part, words);
    const int v = next * threads + int(threadIdx.x);
    if (rows_left > 0 && v < cut.vectors)
      __pipeline_memcpy_async(&at(place), part + cut.column(v), sizeof(V));
    __pipeline_commit();
    place = after(place);
    if (++next < row_places) return;
    next = 0;
    --rows_left;
    part += stride;
  }
  static __device__ __forceinline__ int after(int p) { return p + 1 == places ? 0 : p + 1; }
};

template <class T, bool Writes>
__global__ void __launch_bounds__(threads, 1)
    walk(const T* logits, T* dlogits, Tokens tokens, int block_words) {
  constexpr int N = lanes_of_16<T>;
  using V = Vector<T, N>;
  extern __shared__ uint4 shared[];
  __shared__ Stat stats[2][threads / 32];  // two sets in turn: one barrier per row
  __shared__ float sums[2][threads / 32];
  __shared__ ClusterMailbox<Seen, largest_cluster> mailbox[2];
  const auto cluster = cooperative_groups::this_cluster();
  const int blocks = cluster.num_blocks(), words = tokens.words;
  const std::int64_t clusters = gridDim.x / blocks;
  const int first = cluster.block_rank() * block_words;
  const int mine = max(0, min(block_words, words - first));
  const int row_places = max(1, (block_words / N + threads - 1) / threads);
  std::int64_t row = blockIdx.x / blocks;
  if (blocks > 1) cluster.sync();  // all have started: they may be written to

  const std::int64_t stride = clusters * words;  // from one row of this block to its next
  const T* x = logits + row * words + first;
  Ring<T> ring{reinterpret_cast<V*>(shared) + threadIdx.x,
               x,
               int((tokens.rows - row + clusters - 1) / clusters),
               mine,
               row_places,
               0,
               0};
#pragma unroll 1
  for (int i = 0; i < places; ++i) ring.fetch(stride);

  // Asked for one row ahead, and converted when used: the label, and this thread's element of the edges.
  long long wide_label = 0;
  int narrow_label = 0;
  T next_edge{};
  const auto ask = [&](std::int64_t r, const T* part) {
    if (r >= tokens.rows) return;
    if (tokens.wide)
      wide_label = static_cast<const long long*>(tokens.labels)[r];
    else
      narrow_label = static_cast<const int*>(tokens.labels)[r];
    if (const int e = Cut<N>(part, mine).edge(threadIdx.x); e >= 0) next_edge = part[e];
  };
  ask(row, x);

  const float scale = gradient_scale(tokens);
  int start = 0;  // the place of the row's first vector
  for (int turn = 0; row < tokens.rows; row += clusters, turn ^= 1) {
    const Target target(tokens, Target::Label{tokens.wide ? wide_label : narrow_label});
    const int word = target.word - first;  // in this block's part, if it is there
    const Cut<N> cut(x, mine);
    const int e = cut.edge(threadIdx.x);
    const Vector<T, 1> at_edge{next_edge};
    x += stride;
    ask(row + clusters, x);
    // f(vector, its first column) for what this thread has of the row.
    const auto for_each = [&](auto f) {
      if (e >= 0) f(at_edge, e);
      int place = start;
      for (int i = 0; i < row_places; ++i, place = ring.after(place))
        if (const int v = i * threads + int(threadIdx.x); v < cut.vectors)
          f(V(ring.at(place)), cut.column(v));
    };

    Seen own{nothing(), 0};
    int place = start;
    const auto look = [&](const auto& v) {
      own.stat.max = fmaxf(own.stat.max, largest(v));
      if (tokens.smoothing != 0) own.sum += sum_of(v);
    };
    if (e >= 0) look(at_edge);
    // In the order of their fetching, each as soon as it is there.
    const auto look_at = [&]<int I>() {
      if (I >= row_places) return;
      ptx::copy_async_wait<places - 1 - I>();
      if (I * threads + int(threadIdx.x) < cut.vectors) look(V(ring.at(place)));
      place = ring.after(place);
    };
    [&]<int... I>(std::integer_sequence<int, I...>) {
      (look_at.template operator()<I>(), ...);
    }
    (std::make_integer_sequence<int, most_row_places>{});
    float logit = 0;
    bool has_word = false;
    const Exponent own_exponent(own.stat.max);
    for_each([&]<int M>(const Vector<T, M>& v, int column) {
      float a[M];
      to_floats(v, a);
#pragma unroll
      for (int n = 0; n < M; ++n) own.stat.sum += own_exponent.of(a[n]);
      if (unsigned(word - column) < unsigned(M)) {
        has_word = target.word >= 0;
#pragma unroll
        for (int n = 0; n < M; ++n)
          if (column + n == word) logit = a[n];
      }
    });
    own.stat.sum *= own_exponent.lost;
    own.stat = block_join<threads>(own.stat, stats[turn]);
    if (tokens.smoothing != 0) own.sum = block_reduce<threads>(own.sum, Sum{}, sums[turn]);
    Seen all = own;
    if (blocks > 1) {
      mailbox[turn].post(own);
      cluster.sync();
      all = {nothing(), 0};
      for (int b = 0; b < blocks; ++b) {
        all.stat = join(all.stat, mailbox[turn].from[b].stat);
        all.sum += mailbox[turn].from[b].sum;
      }
    }
    if (has_word || (target.word < 0 && threadIdx.x == 0 && first == 0))
      write_token(tokens, row, target, all.stat, logit, all.sum);

    if constexpr (Writes) {
      Slope slope(tokens, target, all.stat, scale);
      const Exponent exponent(all.stat.max);
      slope.factor *= exponent.lost;
      T* const dx = dlogits + row * words + first;
      const auto gradient = [&]<int M>(const Vector<T, M>& v, int column) {
        float a[M];
        to_floats(v, a);
#pragma unroll
        for (int n = 0; n < M; ++n) a[n] = fmaf(exponent.of(a[n]), slope.factor, -slope.uniform);
        if (unsigned(word - column) < unsigned(M)) {
#pragma unroll
          for (int n = 0; n < M; ++n)
            if (column + n == word) a[n] -= slope.hit;
        }
        Vector<T, M> out{};
        if (!slope.ignored)
#pragma unroll
          for (int n = 0; n < M; ++n) out.at[n] = from_float<T>(a[n]);
        store<M>(dx + column, out);
      };
      if (e >= 0) gradient(at_edge, e);
      for (int i = 0; i < row_places; ++i) {
        if (const int v = i * threads + int(threadIdx.x); v < cut.vectors)
          gradient(V(ring.at(ring.place)), cut.column(v));
        ring.fetch(stride);
      }
    } else {
      for (int i = 0; i < row_places; ++i) ring.fetch(stride);
    }
    start = ring.place;
  }
}

template <class Args>
void launch(const Args& args, cudaStream_t stream) {
  launch_forward(args, stream, [&]<class T>(const Tokens& tokens, Tag<T>) {
    const StagedSplit split = split_staged(tokens.words, tokens.words * std::int64_t(sizeof(T)),
                                           most_row_places * round_bytes, lanes_of_16<T>);
    const ClusterLaunch launch{split.cluster, threads, places * round_bytes, stream};
    const auto kernel = walk<T, std::is_same_v<Args, Gradient>>;
    const std::int64_t fit =
        split.cluster == 1 ? multiprocessors() : launch.resident_clusters(kernel);
    launch(kernel, static_cast<unsigned>(std::min(tokens.rows, fit)),
           args.logits.template as<const T>(), dlogits_of<T>(args), tokens,
           static_cast<int>(split.block_cols));
  });
}

template <class Args>
std::string supports(const Args& args) {
  if (args.logits.shape[1] * std::int64_t(size_of(args.logits.dtype)) >
      largest_cluster * most_row_places * round_bytes)
    return "takes rows of at most 2560 KiB: what 16 blocks hold";
  return cut_supported(args);
}

template <class Args>
std::string untimed(const Args&) {
  return "no GPU has timed it yet; 03, 04 and 05 are chosen until one has";
}

WARPATH_RUNG(Forward, launch<Forward>, .supports = supports<Forward>, .preferred = untimed<Forward>,
             .scratch = scratch_bytes<Forward>);
WARPATH_RUNG(Gradient, launch<Gradient>, .supports = supports<Gradient>,
             .preferred = untimed<Gradient>, .scratch = scratch_bytes<Gradient>);

}  // namespace
}  // namespace warpath::cross_entropy
