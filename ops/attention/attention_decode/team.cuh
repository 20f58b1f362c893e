// Keys shared out over the teams of a block: a team is the lanes that read one key together, 16 bytes each.
// Used by rungs 02 to 04.
#pragma once
#include "core/warp/reduce.cuh"
#include "ops/attention/attention_decode/problem.cuh"

namespace warpath::attention_decode {
namespace {

constexpr int warps = 4, threads = 32 * warps;
constexpr int keys_at_once = 4;  // per team: eight loads in flight per lane

// Consecutive rows of one sequence and key head.
struct Unit {
  int sequence, kv, row0, rows;
};

// N elements per load, heads of up to Dim elements, up to Rows queries that read each key together.
template <class T, int N, int Dim, int Rows>
struct Team {
  static constexpr int lanes = Dim / N < 32 ? Dim / N : 32;
  static constexpr int items = Dim / N / lanes;  // vectors of a head per lane
  static constexpr int teams = threads / lanes;
  struct Shared {
    float o[warps][Rows][Dim];
    Stat stat[warps][Rows];
  };

  const Problem<T>& p;
  const Unit u;
  float q[Rows][items * N], o[Rows][items * N];
  Stat stat[Rows];
  attention::Keys keys[Rows];

  static __device__ __forceinline__ int lane() { return int(threadIdx.x) % lanes; }
  // Where vector i of this lane begins in a head.
  static __device__ __forceinline__ int element(int i) { return (i * lanes + lane()) * N; }
  __device__ __forceinline__ Vector<T, N> read(const T* head, int i, bool there) const {
    return there && element(i) < p.dim ? load<N>(head + element(i)) : Vector<T, N>{};
  }

  __device__ __forceinline__ Team(const Problem<T>& problem, Unit unit) : p(problem), u(unit) {
    const attention::Visible visible = p.visible(u.sequence);
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      const bool is_row = r < u.rows;
      const int row = u.row0 + (is_row ? r : 0);
      const T* from = p.query(u.sequence, u.kv, row);
      keys[r] = visible.of(p.token_of(row));
      stat[r] = {-INFINITY, 0};
#pragma unroll
      for (int i = 0; i < items; ++i) {
        const Vector<T, N> v = read(from, i, is_row);
#pragma unroll
        for (int n = 0; n < N; ++n) {
          q[r][i * N + n] = to_float(v.at[n]);
          o[r][i * N + n] = 0;
        }
      }
    }
  }

  // The keys from `begin` to `end`, in turns.
  __device__ __forceinline__ void add(int begin, int end) {
    for (int first = begin + int(threadIdx.x) / lanes; first - int(threadIdx.x) / lanes < end;
         first += teams * keys_at_once) {
      Vector<T, N> k[keys_at_once][items], v[keys_at_once][items];
#pragma unroll
      for (int n = 0; n < keys_at_once; ++n) {
        const int j = first + n * teams;
        const bool there = j < end;
        const attention::Slot slot = p.pages.find(u.sequence, there ? j : begin);
        const T *from_k = p.k.at(slot, u.kv), *from_v = p.v.at(slot, u.kv);
#pragma unroll
        for (int i = 0; i < items; ++i) {
          k[n][i] = read(from_k, i, there);
          v[n][i] = read(from_v, i, there);
        }
      }
#pragma unroll
      for (int r = 0; r < Rows; ++r)
        if (r < u.rows) include(r, first, end, k, v);
    }
  }

  // put(row, element, its sum, the row's statistics) for all elements, each by one thread.
  template <class F>
  __device__ __forceinline__ void finish(Shared& shared, F put) {
#pragma unroll
    for (int r = 0; r < Rows; ++r)
#pragma unroll
      for (int offset = lanes; offset < 32; offset *= 2) {
        const float other = __shfl_xor_sync(full_mask, stat[r].max, offset);
        const float max = fmaxf(stat[r].max, other);
        const float mine = weight(stat[r].max, max), its = weight(other, max);
        stat[r] = {max, stat[r].sum * mine + __shfl_xor_sync(full_mask, stat[r].sum, offset) * its};
#pragma unroll
        for (float& x : o[r]) x = x * mine + __shfl_xor_sync(full_mask, x, offset) * its;
      }
    const int warp = threadIdx.x / 32;
    if (threadIdx.x % 32 < lanes) {
#pragma unroll
      for (int r = 0; r < Rows; ++r) {
#pragma unroll
        for (int e = 0; e < items * N; ++e) shared.o[warp][r][element(e / N) + e % N] = o[r][e];
        if (lane() == 0) shared.stat[warp][r] = stat[r];
      }
    }
    __syncthreads();
    for (int e = threadIdx.x; e < u.rows * p.dim; e += threads) {
      const int r = e / p.dim, d = e - r * p.dim;
      float max = -INFINITY, sum = 0, all = 0;
#pragma unroll
      for (int w = 0; w < warps; ++w) max = fmaxf(max, shared.stat[w][r].max);
#pragma unroll
      for (int w = 0; w < warps; ++w) {
        const float its = weight(shared.stat[w][r].max, max);
        sum += its * shared.stat[w][r].sum;
        all += its * shared.o[w][r][d];
      }
      put(u.row0 + r, d, all, Stat{max, sum});
    }
  }

 private:
  // Some keys into row r, one rescaling for all of them.
  __device__ __forceinline__ void include(int r, int first, int end,
                                          const Vector<T, N> (&k)[keys_at_once][items],
                                          const Vector<T, N> (&v)[keys_at_once][items]) {
    float score[keys_at_once], max = stat[r].max;
#pragma unroll
    for (int n = 0; n < keys_at_once; ++n) {
      float dot = 0;
#pragma unroll
      for (int e = 0; e < items * N; ++e) dot += q[r][e] * to_float(k[n][e / N].at[e % N]);
      dot = warp_reduce<lanes>(dot, Sum{});
      const int j = first + n * teams;
      const bool seen = j < end && j >= keys[r].first && j < keys[r].last;
      score[n] = seen ? p.score(dot) : -INFINITY;
      max = fmaxf(max, score[n]);
    }
    const float before = weight(stat[r].max, max);
    stat[r] = {max, stat[r].sum * before};
#pragma unroll
    for (float& x : o[r]) x *= before;
#pragma unroll
    for (int n = 0; n < keys_at_once; ++n) {
      const float share = weight(score[n], max);
      stat[r].sum += share;
#pragma unroll
      for (int e = 0; e < items * N; ++e) o[r][e] += share * to_float(v[n][e / N].at[e % N]);
    }
  }
};

// Calls f(tag of the type, elements per load, elements of the longest head).
template <class F>
void with_team(const Args& args, F f) {
  dispatch_float(args.q.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto by_dim = [&](auto n) {
      if (args.q.shape[3] <= 128)
        f(tag, n, std::integral_constant<int, 128>{});
      else
        f(tag, n, std::integral_constant<int, most_dim>{});
    };
    if (in_vectors(args))
      by_dim(std::integral_constant<int, lanes_of_16<T>>{});
    else
      by_dim(std::integral_constant<int, 1>{});
  });
}

}  // namespace
}  // namespace warpath::attention_decode
