// One pass over memory per digit (onesweep): the counts of all digits come first, the rest by look-back.
//
// What changed: a tile needs two numbers for each digit: where the digit begins among all keys, and how many keys of that
// digit are in the tiles before. The first does not change from pass to pass, so one launch counts all digits of all
// passes. The second comes by look-back, one thread per digit, while the tile's keys stay on the SM. In shared memory
// they are put in order of their digits first, so that neighbouring threads store to neighbouring places.
// Limit: the ballots, about 40 instructions per key and pass, beside one read and one write of each key.
#include "core/host/device.cuh"
#include "core/ptx/order.cuh"
#include "ops/order/radix_sort/rank.cuh"

namespace warpath::radix_sort {
namespace {

constexpr int threads = 512, warps = threads / 32, most_passes = 8;
template <class U>
inline constexpr int items_of = sizeof(U) == 8   ? 8
                                : sizeof(U) == 4 ? 20
                                                 : 16;  // per thread
template <class U>
inline constexpr int tile_of = threads* items_of<U>;

// bins[row][pass][digit] += the keys of a stretch of a row.
template <class U>
__global__ void __launch_bounds__(threads)
    count_all(Pass<U> pass, int passes, int last_bit, unsigned* bins, std::int64_t blocks_a_row) {
  __shared__ unsigned mine[most_passes][digits];
  const std::int64_t row = blockIdx.x / blocks_a_row, block = blockIdx.x % blocks_a_row;
  for (int i = threadIdx.x; i < passes * digits; i += threads) mine[i / digits][i % digits] = 0;
  __syncthreads();
  const U wanted = U(~U(0)) >> (8 * sizeof(U) - last_bit);
  constexpr int unroll = 8;
  for (std::int64_t at = block * threads * unroll; at < pass.cols;
       at += blocks_a_row * threads * unroll) {
    U key[unroll];
#pragma unroll
    for (int k = 0; k < unroll; ++k) {
      const std::int64_t i = at + k * threads + threadIdx.x;
      key[k] = i < pass.cols ? pass.keys[row * pass.cols + i] : U(0);
    }
#pragma unroll
    for (int k = 0; k < unroll; ++k) {
      if (at + k * threads + threadIdx.x >= pass.cols) continue;
      const U ordered = U(pass.order(key[k]) & wanted) >> pass.bit;
#pragma unroll
      for (int p = 0; p < int(sizeof(U)); ++p)
        if (p < passes) atomicAdd(&mine[p][unsigned(ordered >> (p * digit_bits)) & 255u], 1u);
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < passes * digits; i += threads)
    if (const unsigned count = mine[i / digits][i % digits])
      atomicAdd(&bins[row * passes * digits + i], count);
}

// Turns the counts of each row and pass into the places where digits begin.
__global__ void __launch_bounds__(digits) scan_bins(unsigned* bins) {
  __shared__ unsigned slots[digits / 32];
  unsigned* const mine = bins + std::int64_t(blockIdx.x) * digits + threadIdx.x;
  *mine = block_scan<digits>(*mine, 0u, Sum{}, slots).before;
}

// What tiles publish for each digit: a state in the upper 3 bits, a count below. A word that is left over from the pass
// before has the state of the other parity and counts as nothing, so words need no clearing between passes.
struct Words {
  unsigned* words;  // [row][tile][digit]
  unsigned own, all;

  Words(unsigned* w, int pass) : words(w), own(1 + pass % 2 * 2), all(own + 1) {}
  __device__ __forceinline__ void publish(std::int64_t tile, unsigned state, unsigned n) const {
    ptx::store_relaxed(&words[tile * digits + threadIdx.x], state << 29 | n);
  }
  // Keys with this thread's digit in the `before` tiles before this one; eight requests are in flight.
  __device__ __forceinline__ unsigned look_back(std::int64_t tile, std::int64_t before) const {
    unsigned sum = 0;
    while (before > 0) {
      unsigned w[8];
#pragma unroll
      for (int j = 0; j < 8; ++j)
        w[j] = before > j ? ptx::load_relaxed(&words[(tile - 1 - j) * digits + threadIdx.x]) : 0;
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        const unsigned state = w[j] >> 29;
        if (state != own && state != all) break;
        sum += w[j] & ((1u << 29) - 1);
        if (state == all) return sum;
        --tile;
        --before;
      }
    }
    return sum;
  }
};

// A digit without the question whether keys are floats.
template <bool Float, class U>
__device__ __forceinline__ unsigned digit_of(const Pass<U>& pass, U key) {
  const U ordered = Float ? pass.order.of_float(key) : pass.order.of_integer(key);
  return unsigned(ordered >> pass.bit) & pass.mask;
}

// A thread's keys and their ranks in the warp. `left`: from the thread's first item to the end of the tile's keys; items are
// 32 apart. Full: all of them exist.
template <bool Float, bool Full, class U, int Items>
__device__ __forceinline__ void load_and_rank(const Pass<U>& pass, const U* from, int left,
                                              unsigned* counts, U (&key)[Items],
                                              unsigned short (&rank)[Items]) {
  const int warp_left = left + int(threadIdx.x % 32);
#pragma unroll
  for (int k = 0; k < Items; ++k) key[k] = Full || k * 32 < left ? from[k * 32] : U(0);
#pragma unroll
  for (int k = 0; k < Items; ++k) {
    if (!Full && k * 32 >= warp_left) continue;
    // Places past the end take part as keys of the last digit: they are behind all others.
    const unsigned digit = Full || k * 32 < left ? digit_of<Float>(pass, key[k]) : digits - 1;
    // Ballots are faster, but ptxas has too few predicates for them beside the conditions of a tile that is not full.
    const unsigned same = Full ? same_digit(digit) : __match_any_sync(full_mask, digit);
    rank[k] = static_cast<unsigned short>(rank_in_warp(digit, same, counts));
  }
}

template <class U, bool Float, bool Pairs>
__global__ void __launch_bounds__(threads, 2)
    sweep(Pass<U> pass, const unsigned* begins, std::int64_t begins_a_row, unsigned* next,
          Words words, std::int64_t tiles) {
  constexpr int items = items_of<U>, tile = tile_of<U>;
  extern __shared__ uint4 dynamic[];
  U* const keys = reinterpret_cast<U*>(dynamic);            // [tile]
  int* const values = reinterpret_cast<int*>(keys + tile);  // [tile], with Pairs
  unsigned* const counts = reinterpret_cast<unsigned*>(values + (Pairs ? tile : 0));
  __shared__ unsigned slots[warps], place[digits], taken;
  const int t = threadIdx.x, warp = t / 32, lane = t % 32;
  unsigned* const mine = counts + warp * digits;  // [warps][digits]
  if (t == 0) taken = atomicAdd(next, 1u);
  for (int i = t; i < warps * digits; i += threads) counts[i] = 0;
  __syncthreads();
  const std::int64_t row = taken / tiles, part = taken % tiles;
  const std::int64_t first = row * pass.cols + part * tile + warp * 32 * items + lane;
  const int n = int(min(std::int64_t(tile), pass.cols - part * tile));
  const int here = n - warp * 32 * items - lane;  // item k exists if k * 32 < here

  U key[items];
  unsigned short rank[items];
  if (n == tile)
    load_and_rank<Float, true>(pass, pass.keys + first, here, mine, key, rank);
  else
    load_and_rank<Float, false>(pass, pass.keys + first, here, mine, key, rank);
  __syncthreads();

  // Thread d: the keys of digit d, warp by warp, then in the whole tile.
  unsigned count = 0;
  if (t < digits) {
    for (int w = 0; w < warps; ++w) {
      const unsigned c = counts[w * digits + t];
      counts[w * digits + t] = count;
      count += c;
    }
    if (t == digits - 1) count -= (32 - n % 32) % 32;  // those past the end
    words.publish(row * tiles + part, part == 0 ? words.all : words.own, count);
  }
  const unsigned begin = block_scan<threads>(count, 0u, Sum{}, slots).before;
  if (t < digits)
    for (int w = 0; w < warps; ++w) counts[w * digits + t] += begin;
  __syncthreads();

#pragma unroll
  for (int k = 0; k < items; ++k) {
    if (k * 32 >= here) continue;
    rank[k] = static_cast<unsigned short>(mine[digit_of<Float>(pass, key[k])] + rank[k]);
    keys[rank[k]] = key[k];
  }
  if constexpr (Pairs) {
    int value[items];
#pragma unroll
    for (int k = 0; k < items; ++k) value[k] = k * 32 < here ? pass.values[first + k * 32] : 0;
#pragma unroll
    for (int k = 0; k < items; ++k)
      if (k * 32 < here) values[rank[k]] = value[k];
  }
  if (t < digits) {
    const unsigned before = words.look_back(row * tiles + part, part);
    if (part > 0) words.publish(row * tiles + part, words.all, before + count);
    place[t] = begins[row * begins_a_row + t] + before - begin;
  }
  __syncthreads();
#pragma unroll 4
  for (int i = t; i < n; i += threads) {
    const U k = keys[i];
    const std::int64_t to = row * pass.cols + unsigned(place[digit_of<Float>(pass, k)] + i);
    pass.keys_out[to] = k;
    if constexpr (Pairs) pass.values_out[to] = values[i];
  }
}

struct Sizes {
  std::int64_t rows, tiles, bins, words;  // tiles per row; the others in all
  int passes;
  std::int64_t cleared() const { return ceil_div(bins + most_passes + words, 4) * 16; }
};

template <class U>
Sizes sizes_of(const Args& args) {
  const std::int64_t rows = args.keys.shape[0], tiles = ceil_div(args.keys.shape[1], tile_of<U>);
  const int passes = passes_of(args, digit_bits);
  return {rows, tiles, rows * passes * digits, rows * tiles * digits, passes};
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.keys.size() == 0) return;
  dispatch_width(args, [&](auto tag) {
    using U = decltype(tag);
    const Sizes s = sizes_of<U>(args);
    auto* const bins = static_cast<unsigned*>(args.scratch.data);
    unsigned* const next = bins + s.bins;
    unsigned* const words = next + most_passes;
    const auto buffer = static_cast<char*>(args.scratch.data) + s.cleared();
    if (s.passes > 0) CUDA_CHECK(cudaMemsetAsync(bins, 0, std::size_t(s.cleared()), stream));
    const auto shared = [](bool pairs) {
      return tile_of<U> * (sizeof(U) + (pairs ? 4 : 0)) + warps * digits * 4;
    };
    for_each_pass<U>(args, digit_bits, buffer, stream, [&](const Pass<U>& pass, int p) {
      if (p == 0) {
        const std::int64_t fill = std::max<std::int64_t>(1, multiprocessors() * 4 / s.rows);
        const std::int64_t each = std::min(fill, ceil_div(pass.cols, std::int64_t(threads) * 8));
        count_all<<<grid_x(s.rows * each, 1), threads, 0, stream>>>(pass, s.passes, args.last_bit(),
                                                                    bins, each);
        scan_bins<<<grid_x(s.rows * s.passes, 1), digits, 0, stream>>>(bins);
      }
      const auto run = [&](auto kernel, bool pairs) {
        kernel<<<grid_x(s.rows * s.tiles, 1), threads, allow_shared(kernel, shared(pairs)),
                 stream>>>(pass, bins + p * digits, std::int64_t(s.passes) * digits, next + p,
                           Words(words, p), s.tiles);
      };
      constexpr bool maybe_float = sizeof(U) > 1;
      const auto pick = [&]<bool Float>(std::bool_constant<Float>) {
        if (pass.values)
          run(sweep<U, Float, true>, true);
        else
          run(sweep<U, Float, false>, false);
      };
      if (is_float(args.keys.dtype)) {
        if constexpr (maybe_float) pick(std::true_type{});
      } else {
        pick(std::false_type{});
      }
    });
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t scratch_bytes(const Args& args) {
  std::int64_t bytes = 0;
  if (args.keys.size() > 0)
    dispatch_width(args, [&](auto tag) {
      bytes = sizes_of<decltype(tag)>(args).cleared() + buffer_bytes(args, digit_bits);
    });
  return bytes;
}

std::string supports(const Args& args) {
  if (args.keys.shape[1] >= 1 << 29) return "takes rows of fewer than 2^29 keys";
  return enough_shared_memory(tile_of<std::uint32_t> * 8 + warps * digits * 4);
}

WARPATH_RUNG(Args, launch, .supports = supports, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::radix_sort
