// Four weights per access, and all loads of a thread before its first store.
//
// What changed: 16 bytes of the f32 tensors and 8 of the 16-bit ones per access, so both belong to the same four weights and a
// warp reads whole cache lines of each. A thread takes two such groups: eight loads are in flight before the first result
// is stored. Where there are master weights, p is not read. A chunk that is not full, or whose tensors do not start at such
// boundaries, goes weight by weight.
// Limit: the memory.
#include "core/thread/vector.cuh"
#include "ops/optimizer/adamw/update.cuh"
#include "ops/optimizer/chunks.cuh"

namespace warpath::adamw {
namespace {

constexpr int most = 64, threads = 256, lanes = 4, groups = 2, chunk = threads * lanes * groups;
using Table = optimizer::ChunkTable<5, most>;
static_assert(sizeof(Table) + sizeof(Step) <= 4096, "kernel parameters");

// Whether an array of T can be read four elements at a time; a null pointer can.
template <class T>
__device__ __forceinline__ bool by_four(const T* p) {
  return reinterpret_cast<std::uintptr_t>(p) % (lanes * sizeof(T)) == 0;
}

template <class T>
__device__ __forceinline__ void full_chunk(const Arrays<T>& a, std::int64_t first, const Step& step,
                                           float scale, float keep) {
  constexpr bool narrow = sizeof(T) < sizeof(float);  // f32 weights are their own masters
  Vector<T, lanes> p[groups], g[groups];
  Vector<float, lanes> m[groups], v[groups], w[groups];
#pragma unroll
  for (int k = 0; k < groups; ++k) {
    const std::int64_t i = first + (k * threads + threadIdx.x) * lanes;
    g[k] = load_kept<lanes>(a.g + i);
    m[k] = load_kept<lanes>(a.m + i);
    v[k] = load_kept<lanes>(a.v + i);
    if constexpr (!narrow)
      w[k] = load_kept<lanes>((a.master ? a.master : a.p) + i);
    else if (a.master)
      w[k] = load_kept<lanes>(a.master + i);
    else
      p[k] = load_kept<lanes>(a.p + i);
  }
#pragma unroll
  for (int k = 0; k < groups; ++k) {
    const std::int64_t i = first + (k * threads + threadIdx.x) * lanes;
#pragma unroll
    for (int e = 0; e < lanes; ++e) {
      if (narrow && !a.master) w[k].at[e] = to_float(p[k].at[e]);
      step.update(w[k].at[e], scale * to_float(g[k].at[e]), m[k].at[e], v[k].at[e], keep);
      p[k].at[e] = from_float<T>(w[k].at[e]);
    }
    store<lanes>(a.m + i, m[k]);
    store<lanes>(a.v + i, v[k]);
    store<lanes>(a.p + i, p[k]);
    if (a.master) store<lanes>(a.master + i, w[k]);
  }
}

template <class T>
__global__ void __launch_bounds__(threads)
    vectors(const __grid_constant__ Table table, const Step given) {
  const int t = table.tensor_of(blockIdx.x);
  const std::int64_t first = std::int64_t(blockIdx.x - table.first[t]) * chunk;
  const std::int64_t end = min(first + chunk, table.size[t]);
  const Arrays<T> a{static_cast<T*>(table.at[0][t]), static_cast<const T*>(table.at[1][t]),
                    static_cast<float*>(table.at[2][t]), static_cast<float*>(table.at[3][t]),
                    static_cast<float*>(table.at[4][t])};
  const Step step = given.now();
  const float scale = step.scale(), keep = step.keep(table.index[t]);
  if (end - first == chunk && by_four(a.p) && by_four(a.g) && by_four(a.m) && by_four(a.v) &&
      by_four(a.master))
    return full_chunk(a, first, step, scale, keep);
  for (std::int64_t i = first + threadIdx.x; i < end; i += threads) a.update(i, step, scale, keep);
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.p.count == 0) return;
  const Step step = Step::of(args);
  dispatch_float(args.p[0].dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    optimizer::for_each_table<most>(std::array{&args.p, &args.g, &args.m, &args.v, &args.master},
                                    chunk, [&](const Table& table, unsigned chunks) {
                                      vectors<T><<<chunks, threads, 0, stream>>>(table, step);
                                    });
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::adamw
