// Results of several blocks for the same rows, left in scratch memory and joined by the block that finishes last.
// Used by rungs 04 to 06.
#pragma once
#include "core/host/device.cuh"
#include "ops/attention/attention_decode/problem.cuh"

namespace warpath::attention_decode {
namespace {

// Counters have a place of their own for every shape, because they must stay zero between launches: rows are split only
// where there are fewer units of work than this.
inline std::int64_t most_counters() {
  return 4 * std::int64_t(multiprocessors());
}

struct Partials {
  unsigned* done;
  Stat* stat;  // (slots, rows)
  float* o;    // (slots, rows, pitch)
  int rows, pitch;

  static std::int64_t counter_bytes() { return most_counters() * 4; }
  static std::int64_t bytes(std::int64_t slots, std::int64_t rows, std::int64_t pitch) {
    return counter_bytes() + slots * rows * (pitch + 2) * 4;
  }
  static Partials in(const Scratch& scratch, std::int64_t slots, int rows, int pitch) {
    auto* const done = static_cast<unsigned*>(scratch.data);
    auto* const stat = reinterpret_cast<Stat*>(done + most_counters());
    return {done, stat, reinterpret_cast<float*>(stat + slots * rows), rows, pitch};
  }

  __device__ __forceinline__ void put(int slot, int row, int d, float sum, Stat s) const {
    const std::int64_t at = std::int64_t(slot) * rows + row;
    o[at * pitch + d] = sum;
    if (d == 0) stat[at] = s;
  }

  // Called by all threads after put(). True in the last of `parts` blocks: it sees what the others have put.
  __device__ __forceinline__ bool is_last(int counter, int parts, bool& shared) const {
    __threadfence();
    __syncthreads();
    const unsigned last = parts - 1;
    if (threadIdx.x == 0) shared = atomicInc(&done[counter], last) == last;  // 0 after the last
    __syncthreads();
    if (shared) __threadfence();
    return shared;
  }

  // Part q lies in slot(q). The parts are joined in their order, whoever does it: every run gives the same bits.
  template <int Threads, class F, class G>
  __device__ __forceinline__ void join(int parts, int count, int dim, F slot, G put) const {
    for (int e = threadIdx.x; e < count * dim; e += Threads) {
      const int r = e / dim, d = e - r * dim;
      Stat all = {-INFINITY, 0};
      float sum = 0;
#pragma unroll 8
      for (int q = 0; q < parts; ++q) {
        const std::int64_t at = std::int64_t(slot(q)) * rows + r;
        const float2 its = __ldcg(reinterpret_cast<const float2*>(&stat[at]));
        const float value = __ldcg(&o[at * pitch + d]);
        const float max = fmaxf(all.max, its.x);
        const float before = weight(all.max, max), now = weight(its.x, max);
        all = {max, all.sum * before + its.y * now};
        sum = sum * before + value * now;
      }
      put(r, d, sum, all);
    }
  }
};

// The keys of a unit in equal parts, as many as keep the GPU busy where the caches are full.
struct Split {
  int parts;

  // Multiples of `step` keys; the last parts of a short sequence are empty.
  __device__ __forceinline__ int each(attention::Keys keys, int step) const {
    const int steps = (keys.last - keys.first + step - 1) / step;
    return (steps + parts - 1) / parts * step;
  }
};

// `blocks`: those that run at once. A part has at least `least` keys.
inline Split split_of(const Args& args, std::int64_t units, std::int64_t blocks, int least) {
  const std::int64_t most = std::max<std::int64_t>(ceil_div(most_keys(args), least), 1);
  const std::int64_t wanted = blocks / std::max<std::int64_t>(units, 1);
  return {int(std::clamp<std::int64_t>(wanted, 1, most))};
}

}  // namespace
}  // namespace warpath::attention_decode
