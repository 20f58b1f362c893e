// The next row is on its way while this one is written: one block per SM walks over the rows.
//
// What changed: 05 loads a row, reduces it, writes its gradient and ends. Whether the memory is busy meanwhile
// depends on what the other blocks of the SM happen to do. Here a block has an SM to itself, with 208 KiB
// of shared memory as a ring: when a thread has written the gradient of a vector, it fetches the vector that is a
// whole ring further on into the same place. Nobody reads what another thread fetched, so the ring needs no barrier.
// 50257 words of 2 bytes take half of it: the row is in one SM, and no block waits for another. Longer
// rows are shared out to a cluster. The arithmetic must keep up with that, so there is less of it: no
// pass for the maximum (a logit at hand will do), one FMA and one ex2 per exponential, and only the thread that
// has the label's logit looks for it.
// Limit: the memory, and one barrier per row. Without a gradient to write, 03 is faster.
#include <utility>

#include "core/ptx/cp_async.cuh"
#include "ops/softmax/cross_entropy/call.cuh"
#include "ops/softmax/staged.cuh"

namespace warpath::cross_entropy {
namespace {

constexpr int threads = 1024;
constexpr int places = 13;           // vectors per thread in the ring
constexpr int most_row_places = 10;  // of them for one row
constexpr std::int64_t round_bytes =
    std::int64_t(threads) * sizeof(uint4);  // a place of all threads

constexpr std::int64_t shortest = 16 * 1024;  // words

struct Seen {
  Stat stat;
  float sum;
};

// exp(x - zero) = 2^(x * factor - shift) * lost, where `lost` is what the rounding of shift took away. Next to
// a logit of 2^100 all others are 0 or infinite whatever the factor is; there it must not overflow.
struct Exponent {
  float factor, shift, lost;

  __device__ __forceinline__ explicit Exponent(float zero)
      : factor(fabsf(zero) < 0x1p100f ? log2_e : 0x1p-40f), shift(shift_of(zero, factor)) {
    lost = zero == -INFINITY ? 1.0f : ptx::exp2(-fmaf(zero, factor, -shift));
  }
  __device__ __forceinline__ float of(float x) const { return exp_scaled(x, factor, shift); }

  template <class T, int N>
  __device__ __forceinline__ float sum(const Vector<T, N>& x) const {
    float v[N], sum = 0;
    to_floats(x, v);
#pragma unroll
    for (int n = 0; n < N; ++n) sum += of(v[n]);
    return sum;
  }
};

// This thread's places, and what it fetches next: its vectors of this block's part of each row, in order.
template <class T>
struct Ring {
  static constexpr int N = lanes_of_16<T>;
  using V = Vector<T, N>;
  V *begin, *at;   // the first place; the one to be fetched into
  const T* part;   // of the row that is being fetched
  int rows_left;   // from that row on
  int row_places;  // of each row
  const T* from;   // the next vector
  int next, end;   // its number in the row, and one past the last

  __device__ __forceinline__ void start_row(int words) {
    const Cut<N> cut(part, words);
    next = threadIdx.x;
    end = rows_left > 0 ? cut.vectors : 0;
    from = part + cut.column(next);
  }
  // One group each, also where nothing is left to fetch, so that the groups can be counted.
  __device__ __forceinline__ void fetch() {
    if (next < end) __pipeline_memcpy_async(at, from, sizeof(V));
    __pipeline_commit();
    next += threads;
    from += threads * N;
    at = after(at);
  }
  __device__ __forceinline__ V* after(V* place) const {
    return place == begin + (places - 1) * threads ? begin : place + threads;
  }
};

// Waits until at most `pending` groups are in flight.
template <int Most = places - 1>
__device__ __forceinline__ void wait_for_all_but(int pending) {
  if constexpr (Most > 0)
    if (pending < Most) return wait_for_all_but<Most - 1>(pending);
  ptx::copy_async_wait<Most>();
}

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
  const int blocks = cluster.num_blocks(), words = tokens.words, thread = threadIdx.x;
  const std::int64_t clusters = gridDim.x / blocks;
  const int first = cluster.block_rank() * block_words;
  const int mine = max(0, min(block_words, words - first));
  const int row_places = max(1, (block_words / N + threads - 1) / threads);
  std::int64_t row = blockIdx.x / blocks;
  if (blocks > 1) cluster.sync();  // all have started: they may be written to

  std::int64_t start = row * words + first;      // of this block's part of the row
  const std::int64_t stride = clusters * words;  // to that of its next row
  Ring<T> ring{};
  ring.begin = ring.at = reinterpret_cast<V*>(shared) + thread;
  ring.part = logits + start;
  ring.rows_left = int((tokens.rows - row + clusters - 1) / clusters);
  ring.start_row(mine);
  // Fetches the vector whose number in its row is place `i`, and goes on to the next row after its last.
  int fetched = 0;
  const auto fetch = [&] {
    ring.fetch();
    if (++fetched < row_places) return;
    fetched = 0;
    --ring.rows_left;
    ring.part += stride;
    ring.start_row(mine);
  };
#pragma unroll 1
  for (int i = 0; i < places; ++i) fetch();

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
    if (const int e = Cut<N>(part, mine).edge(thread); e >= 0) next_edge = part[e];
  };
  ask(row, logits + start);

  const float scale = gradient_scale(tokens);
  for (int turn = 0; row < tokens.rows; row += clusters, start += stride, turn ^= 1) {
    const Target target(tokens, Target::Label{tokens.wide ? wide_label : narrow_label});
    const Cut<N> cut(logits + start, mine);
    const int edge = cut.edge(thread);
    const Vector<T, 1> at_edge{next_edge};
    ask(row + clusters, logits + start + stride);

    // f(vector) for what this thread has of the row.
    const auto for_each = [&](auto f) {
      if (edge >= 0) f(at_edge);
      V* place = ring.at;
      for (int v = thread; v < cut.vectors; v += threads, place = ring.after(place)) f(V(*place));
    };
    wait_for_all_but(places - row_places);
    // Exponentials relative to a logit at hand; to the largest where that one is too small by far.
    Seen own{nothing(), 0};
    own.stat.max = thread < cut.vectors ? largest(V(*ring.at))
                   : edge >= 0          ? to_float(at_edge.at[0])
                                        : -INFINITY;
    Exponent exponent(own.stat.max);
    for_each([&](const auto& x) { own.stat.sum += exponent.sum(x); });
    if (!(own.stat.sum < 0x1p60f) || own.stat.max == -INFINITY) {
      own.stat = nothing();
      for_each([&](const auto& x) { own.stat.max = fmaxf(own.stat.max, largest(x)); });
      exponent = Exponent(own.stat.max);
      for_each([&](const auto& x) { own.stat.sum += exponent.sum(x); });
    }
    own.stat.sum *= exponent.lost;
    if (tokens.smoothing != 0) for_each([&](const auto& x) { own.sum += sum_of(x); });

    // The label's logit, in the thread that fetched it.
    const int word = target.word < 0 ? -1 : target.word - first, in_body = word - cut.head;
    const bool inside = word >= cut.head && in_body < cut.vectors * N;
    const bool has_word = inside ? in_body / N % threads == thread : word >= 0 && edge == word;
    float logit = 0;
    if (has_word) {
      V* place = ring.at;
      for (int i = in_body / N; inside && i >= threads; i -= threads) place = ring.after(place);
      logit = to_float(inside ? place->at[in_body % N] : at_edge.at[0]);
    }

    own.stat = block_join<threads>(own.stat, stats[turn]);
    if (tokens.smoothing != 0) own.sum = block_reduce<threads>(own.sum, Sum{}, sums[turn]);
    Seen all = own;
    if (blocks > 1) {
      mailbox[turn].post(own);
      cluster.sync();
      all = {nothing(), 0};
#pragma unroll 1
      for (int b = 0; b < blocks; ++b) {
        all.stat = join(all.stat, mailbox[turn].from[b].stat);
        all.sum += mailbox[turn].from[b].sum;
      }
    }
    if (has_word || (target.word < 0 && thread == 0 && first == 0))
      write_token(tokens, row, target, all.stat, logit, all.sum);

    if constexpr (Writes) {
      const Slope slope(tokens, target, all.stat, scale);
      exponent = Exponent(all.stat.max);
      const float factor = slope.factor * exponent.lost;
      const auto gradient = [&]<int M>(const Vector<T, M>& x) {
        float v[M];
        to_floats(x, v);
#pragma unroll
        for (int n = 0; n < M; ++n) v[n] = fmaf(exponent.of(v[n]), factor, -slope.uniform);
        Vector<T, M> out;
#pragma unroll
        for (int n = 0; n < M; ++n) out.at[n] = from_float<T>(v[n]);
        return out;
      };
      T* const dx = dlogits + start;
      // Every vector makes room for one that is a ring further on.
      const auto write = [&](auto f) {
        T* to = dx + cut.column(thread);
        int v = thread;
        for (int i = 0; i < row_places; ++i, v += threads, to += threads * N) {
          if (v < cut.vectors) store<N>(to, f(V(*ring.at)));
          fetch();
        }
      };
      if (slope.ignored) {  // zeros, whatever the logits are
        if (edge >= 0) dx[edge] = T{};
        write([](const V&) { return V{}; });
      } else {
        if (edge >= 0) dx[edge] = gradient(at_edge).at[0];
        write(gradient);
        if (has_word)  // over what it wrote there itself
          dx[word] = from_float<T>(fmaf(exponent.of(logit), factor, -slope.uniform) - slope.hit);
      }
    } else {
#pragma unroll 1
      for (int i = 0; i < row_places; ++i) fetch();
    }
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

// As measured on an H200.
template <class Args>
std::string preferred(const Args& args) {
  if (std::is_same_v<Args, Forward>)
    return "the loss alone has nothing to write meanwhile, and 03 needs no ring";
  return args.logits.shape[1] > shortest ? "" : "rows of up to 16384 words fit registers: 04";
}

WARPATH_RUNG(Forward, launch<Forward>, .supports = supports<Forward>,
             .preferred = preferred<Forward>, .scratch = scratch_bytes<Forward>);
WARPATH_RUNG(Gradient, launch<Gradient>, .supports = supports<Gradient>,
             .preferred = preferred<Gradient>, .scratch = scratch_bytes<Gradient>);

}  // namespace
}  // namespace warpath::cross_entropy
