// The mainloop of rungs 05 and 06: tiles of 64 keys and values come by cp.async, the packed queries are multiplied with them by
// the tensor cores. Which tiles a block takes is the rung's plan.
//
// The rows of a unit are cut into tiles of 16, the height of an mma. With one such tile the four warps share the keys, 16 of 64
// each; with four of them every warp has its own rows and takes all keys. In the loop warps share nothing but the stages.
#pragma once
#include "core/ptx/cp_async.cuh"
#include "core/ptx/matrix.cuh"
#include "core/ptx/mma.cuh"
#include "core/warp/reduce.cuh"
#include "ops/attention/attention_decode/partials.cuh"

namespace warpath::attention_decode {
namespace {

constexpr int warps = 4, threads = 32 * warps;
constexpr int tile_keys = 64;

// A run of tiles of one unit: rows [row0, row0 + rows) of one sequence and key head. Tile i has keys 64 i on.
struct Run {
  int sequence, kv, row0, rows;
  int tile, end;
  int keys;  // of the sequence
  // The unit's tiles may be those of several blocks; -1 parts: there is no run.
  int part, parts, counter;
  int behind;  // number of the next tile among all tiles; only rung 06 counts them

  __device__ __forceinline__ bool is() const { return parts > 0; }
};

// Tiles that any query of a sequence sees. A sequence without keys has one tile too: somebody must write its zeros.
struct Tiles {
  int first, count, keys;

  template <class T>
  __device__ __forceinline__ Tiles(const Problem<T>& p, int sequence) {
    const attention::Keys seen = p.visible(sequence).of_rows(0, p.tokens);
    first = seen.first / tile_keys;
    count = max((seen.last + tile_keys - 1) / tile_keys - first, 1);
    keys = seen.last;
  }
};

template <class T, int Dim, int RowTiles>
struct Tensor {
  static constexpr int chunks = Dim / 8;  // of 16 bytes in a head
  static constexpr int stages = Dim == 64 ? 4 : 3;
  static constexpr int blocks_an_sm = Dim == 64 ? 3 : Dim == 128 ? 2 : 1;
  static constexpr int rows = 16 * RowTiles;           // of a block
  static constexpr int key_shares = warps / RowTiles;  // warps that share the keys of a row
  static constexpr int warp_keys = tile_keys / key_shares;

  struct Stage {
    alignas(128) Vector<T, 8> k[tile_keys * chunks], v[tile_keys * chunks];
  };
  static constexpr int shared_bytes = stages * sizeof(Stage);
  // Where a run's sums are joined: the stage that was read last.
  using Sums = float[warps * 16][Dim];
  static_assert(sizeof(Sums) == sizeof(Stage));
  struct Shared {
    Stat stat[warps * 16];
    bool last;
  };

  // The 16-byte chunks of a row are permuted by the row's number: eight rows of a column lie in all 32 banks.
  static __device__ __forceinline__ int place(int row, int chunk) {
    return row * chunks + (chunk ^ (row & 7));
  }

  const Problem<T>& p;
  Stage* const stage;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row_tile = warp % RowTiles, key_share = warp / RowTiles;
  // Of this lane's two rows, lane / 4 and 8 below it.
  std::uint32_t q[Dim / 16][4];
  float o[Dim / 8][4];
  Stat stat[2];
  attention::Keys seen[2], all_see;  // all_see: what both rows see

  __device__ __forceinline__ Tensor(const Problem<T>& problem, void* shared)
      : p(problem), stage(static_cast<Stage*>(shared)) {}

  // Starts the copies of a tile; keys behind the last one are zeros, whatever lies there.
  __device__ __forceinline__ void fetch(const Run& run, int slot) const {
    constexpr int step = threads / chunks, each = tile_keys / step;  // rows of a thread
    const int c = threadIdx.x % chunks, first = threadIdx.x / chunks;
    const int key0 = run.tile * tile_keys, keys = run.keys - key0;
    const int left = c * 8 < p.dim ? keys : 0;
    const auto copy = [&](int row, const T* k, const T* v) {
      ptx::copy_async<16>(ptx::shared_address(&stage[slot].k[place(row, c)]), k, row < left);
      ptx::copy_async<16>(ptx::shared_address(&stage[slot].v[place(row, c)]), v, row < left);
    };
    if (keys <= 0 || p.pages.whole(tile_keys)) {
      const attention::Slot at = keys > 0 ? p.pages.find(run.sequence, key0) : attention::Slot{};
      const T* k = p.k.at(at, run.kv) + first * p.k.slot + c * 8;
      const T* v = p.v.at(at, run.kv) + first * p.v.slot + c * 8;
#pragma unroll
      for (int i = 0; i < each; ++i, k += step * p.k.slot, v += step * p.v.slot)
        copy(first + i * step, k, v);
      return;
    }
    attention::Slot at[each];  // all looked up before any is used
#pragma unroll
    for (int i = 0; i < each; ++i)
      at[i] = p.pages.find(run.sequence, key0 + min(first + i * step, keys - 1));
#pragma unroll
    for (int i = 0; i < each; ++i)
      copy(first + i * step, p.k.at(at[i], run.kv) + c * 8, p.v.at(at[i], run.kv) + c * 8);
  }

  // The queries of a unit as mma's first operand, straight from global memory.
  __device__ __forceinline__ void begin(const Run& run) {
    const attention::Visible visible = p.visible(run.sequence);
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const int r = row_tile * 16 + lane / 4 + 8 * h;
      const bool is_row = r < run.rows;
      const int row = run.row0 + (is_row ? r : 0);
      const T* const from = p.query(run.sequence, run.kv, row) + lane % 4 * 2;
      // Padding sees all keys, so that it never asks for a mask; its queries are zeros.
      seen[h] = is_row ? visible.of(p.token_of(row)) : attention::Keys{0, 0x7fffffff};
      stat[h] = {-INFINITY, 0};
#pragma unroll
      for (int c = 0; c < chunks; ++c)
        q[c / 2][h + c % 2 * 2] =
            is_row && c * 8 < p.dim ? *reinterpret_cast<const std::uint32_t*>(from + c * 8) : 0;
    }
    all_see = {max(seen[0].first, seen[1].first), min(seen[0].last, seen[1].last)};
#pragma unroll
    for (auto& four : o)
#pragma unroll
      for (float& x : four) x = 0;
  }

  // One tile, 16 keys at a time.
  __device__ __forceinline__ void add(const Run& run, int slot) {
    if (row_tile * 16 >= run.rows) return;
#pragma unroll 1
    for (int i = 0; i < warp_keys; i += 16)
      add_keys(stage[slot], key_share * warp_keys + i, run.tile * tile_keys);
  }

  __device__ __forceinline__ void add_keys(const Stage& from, int in_tile, int key0) {
    const std::uint32_t k = ptx::shared_address(from.k), v = ptx::shared_address(from.v);
    const int low = lane % 8, second = lane / 8 % 2, third = lane / 16;
    float s[2][4] = {};  // two times 8 keys
#pragma unroll
    for (int c = 0; c < Dim / 16; ++c) {
      std::uint32_t f[4];
      ptx::load_matrices(f, k + 16 * place(in_tile + low + 8 * third, 2 * c + second));
      ptx::mma<T>(s[0], q[c], f[0], f[1]);
      ptx::mma<T>(s[1], q[c], f[2], f[3]);
    }

    p.score(s);
    const int first = key0 + in_tile;
    if (first < all_see.first || first + 16 > all_see.last) mask(s, first);

    float before[2];
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      float most = stat[h].max;
#pragma unroll
      for (int e = 0; e < 4; ++e) most = fmaxf(most, s[e / 2][h * 2 + e % 2]);
      most = fmaxf(most, __shfl_xor_sync(full_mask, most, 1));
      most = fmaxf(most, __shfl_xor_sync(full_mask, most, 2));
      before[h] = weight(stat[h].max, most);
      stat[h] = {most, stat[h].sum * before[h]};
#pragma unroll
      for (int e = 0; e < 4; ++e) {
        float& x = s[e / 2][h * 2 + e % 2];
        x = weight(x, most);
        stat[h].sum += x;  // of this lane's keys; the four lanes of a row are added up in the end
      }
    }
    // The maximum of a row soon stays what it is: then there is nothing to rescale.
    if (__any_sync(full_mask, before[0] != 1 || before[1] != 1)) {
#pragma unroll
      for (auto& four : o)
#pragma unroll
        for (int e = 0; e < 4; ++e) four[e] *= before[e / 2];
    }

    // The sums of one mma are the first operand of the next, two keys per register.
    std::uint32_t weights[4];
#pragma unroll
    for (int w = 0; w < 4; ++w) {
      const float* const pair = &s[w / 2][w % 2 * 2];
      const Vector<T, 2> two = {from_float<T>(pair[0]), from_float<T>(pair[1])};
      weights[w] = reinterpret_cast<const std::uint32_t&>(two);
    }
#pragma unroll
    for (int c = 0; c < Dim / 16; ++c) {
      std::uint32_t f[4];
      ptx::load_matrices_transposed(f, v + 16 * place(in_tile + low + 8 * second, 2 * c + third));
      ptx::mma<T>(o[2 * c], weights, f[0], f[1]);
      ptx::mma<T>(o[2 * c + 1], weights, f[2], f[3]);
    }
  }

  __device__ __forceinline__ void mask(float (&s)[2][4], int first) const {
#pragma unroll
    for (int e = 0; e < 8; ++e) {
      const int j = first + e / 4 * 8 + lane % 4 * 2 + e % 2;
      const attention::Keys& keys = seen[e / 2 % 2];
      if (j < keys.first || j >= keys.last) s[e / 4][e % 4] = -INFINITY;
    }
  }

  // Joins what the warps have, in the memory of a stage that nobody needs any more: put(row, element, sum, statistics).
  template <class F>
  __device__ __forceinline__ void finish(const Run& run, int slot, Shared& shared, F put) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      stat[h].sum = warp_reduce<4>(stat[h].sum, Sum{});
      if (lane % 4 == 0) shared.stat[warp * 16 + lane / 4 + 8 * h] = stat[h];
    }
    __syncthreads();  // every warp is done with the stage
    Sums& sums = reinterpret_cast<Sums&>(stage[slot]);
#pragma unroll
    for (int c = 0; c < chunks; ++c)
#pragma unroll
      for (int h = 0; h < 2; ++h)
        *reinterpret_cast<float2*>(&sums[warp * 16 + lane / 4 + 8 * h][c * 8 + lane % 4 * 2]) = {
            o[c][2 * h], o[c][2 * h + 1]};
    __syncthreads();
    for (int e = threadIdx.x; e < run.rows * Dim; e += threads) {
      const int r = e / Dim, d = e % Dim;
      if (d >= p.dim) continue;
      float max = -INFINITY, sum = 0, all = 0;
#pragma unroll
      for (int w = 0; w < key_shares; ++w) max = fmaxf(max, shared.stat[w * rows + r].max);
#pragma unroll
      for (int w = 0; w < key_shares; ++w) {
        const Stat its = shared.stat[w * rows + r];
        const float share = weight(its.max, max);
        sum += share * its.sum;
        all += share * sums[w * rows + r][d];
      }
      put(r, d, all, Stat{max, sum});
    }
  }

  template <class Plan>
  __device__ __forceinline__ void run(const Plan& plan, Run now, const Partials& partials,
                                      Shared& shared) {
    Run ahead = now;  // what is fetched
    const auto fetch_next = [&](int slot) {
      if (ahead.is()) {
        fetch(ahead, slot);
        if (++ahead.tile == ahead.end) plan.next(p, ahead);
      }
      ptx::
          copy_async_commit();  // an empty group behind the last tile: so their number says which has landed
    };
    for (int s = 0; s < stages - 1; ++s) fetch_next(s);
    bool fresh = true;
    for (int slot = 0; now.is(); slot = slot + 1 == stages ? 0 : slot + 1) {
      ptx::copy_async_wait<stages - 2>();
      __syncthreads();  // the tile is here, the stage before it is read no more
      fetch_next(slot == 0 ? stages - 1 : slot - 1);
      if (fresh) begin(now);
      add(now, slot);
      fresh = ++now.tile == now.end;
      if (!fresh) continue;
      put_run(plan, now, slot, partials, shared);
      plan.next(p, now);
    }
  }

  template <class Plan>
  __device__ __forceinline__ void put_run(const Plan& plan, const Run& run, int slot,
                                          const Partials& partials, Shared& shared) {
    const auto put = [&](int r, int d, float sum, Stat s) {
      p.output(run.sequence, run.kv, run.row0 + r)[d] = from_float<T>(sum * share_of(s.sum));
      if (d == 0) p.put_lse(run.sequence, run.kv, run.row0 + r, s);
    };
    if (run.parts == 1) return finish(run, slot, shared, put);
    finish(run, slot, shared, [&](int r, int d, float sum, Stat s) {
      partials.put(plan.slot(run, run.part), r, d, sum, s);
    });
    if (!partials.is_last(run.counter, run.parts, shared.last)) return;
    partials.join<threads>(
        run.parts, run.rows, p.dim, [&](int part) { return plan.slot(run, part); }, put);
  }
};

// Rows 0 to 15 are one tile of rows, more are four: 64 rows.
inline int row_tiles(const Args& args) {
  return rows_of(args) <= 16 ? 1 : 4;
}
inline int row_blocks(const Args& args) {
  return int(ceil_div(rows_of(args), 16 * row_tiles(args)));
}
inline int padded_dim(const Args& args) {
  return args.q.shape[3] <= 64 ? 64 : args.q.shape[3] <= 128 ? 128 : 256;
}

// Calls f with the type Tensor<...> for these args.
template <class F>
void with_tensor(const Args& args, F f) {
  dispatch<__half, __nv_bfloat16>(args.q.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto by_dim = [&](auto tiles) {
      if (padded_dim(args) == 64)
        f(Tag<T>{}, Tag<Tensor<T, 64, tiles.value>>{});
      else if (padded_dim(args) == 128)
        f(Tag<T>{}, Tag<Tensor<T, 128, tiles.value>>{});
      else
        f(Tag<T>{}, Tag<Tensor<T, 256, tiles.value>>{});
    };
    if (row_tiles(args) == 1)
      by_dim(std::integral_constant<int, 1>{});
    else
      by_dim(std::integral_constant<int, 4>{});
  });
}

// Blocks that run at once.
inline std::int64_t resident_blocks(const Args& args) {
  const int dim = padded_dim(args);
  return std::int64_t(multiprocessors()) * (dim == 64 ? 3 : dim == 128 ? 2 : 1);
}

inline std::string tensor_fits(const Args& args) {
  if (std::string why = fits(args); !why.empty()) return why;
  if (args.q.dtype == DType::f32) return "tensor cores would round f32 to tf32";
  if (!in_vectors(args)) return "loads 16 bytes: heads must start at multiples of 16 bytes";
  const std::int64_t tiles = ceil_div(attention::capacity_of(args.k, args.block_table), tile_keys);
  if (batch_of(args) * args.k.shape[2] * row_blocks(args) * (tiles + 1) >= std::int64_t(1) << 31)
    return "it takes fewer than 2^31 tiles of 64 keys";
  const int need = padded_dim(args) == 64    ? Tensor<__half, 64, 1>::shared_bytes
                   : padded_dim(args) == 128 ? Tensor<__half, 128, 1>::shared_bytes
                                             : Tensor<__half, 256, 1>::shared_bytes;
  if (device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) < need)
    return "needs " + std::to_string(need / 1024) + " KiB of shared memory per block";
  return {};
}

}  // namespace
}  // namespace warpath::attention_decode
