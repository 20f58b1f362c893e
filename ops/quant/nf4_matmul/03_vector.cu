// All rows of x at once, sixteen bytes of codes per access: 32 weights per lane, and w is read once.
//
// What changed: a lane expands half a block, multiplies it with 1 to 16 rows of x, and applies the factor once per row. A
// warp has 512 bytes of codes in flight per load; 16-byte loads of x come from the caches. Its lanes now have sixteen
// blocks, so the map of their maxima is in shared memory, too.
// Limit: the instructions. Every weight is a shift, a mask and a lookup before its first product, and a byte of codes
// arrives in the time that a few instructions take.
#include "core/block/reduce.cuh"
#include "ops/quant/nf4_matmul/problem.cuh"

namespace warpath::nf4_matmul {
namespace {

constexpr int warps = 4;  // of a block of threads
constexpr int each = 32;  // weights of a lane per load: half a block

template <class T, int Rows>
__global__ void __launch_bounds__(32 * warps) rows_at_once(const Problem<T> p) {
  __shared__ float values[16], map[256];
  if (threadIdx.x < 16) values[threadIdx.x] = p.values.at[threadIdx.x];
  for (int i = threadIdx.x; i < 256; i += 32 * warps) map[i] = p.map.at[i];
  __syncthreads();
  const std::int64_t j = std::int64_t(blockIdx.x) * warps + threadIdx.x / 32;
  if (j >= p.n) return;
  constexpr int N = lanes_of_16<T>;
  float sum[Rows] = {};
  for (std::int64_t half = threadIdx.x % 32; half < 2 * p.blocks; half += 32) {
    const std::int64_t at = 2 * j * p.blocks + half;
    const Vector<unsigned char, 16> codes = load_once<16>(p.codes + at * 16);
    const float factor = p.factor(at / 2, map);
    float w[each];
#pragma unroll
    for (int e = 0; e < each; ++e)
      w[e] = values[e % 2 ? codes.at[e / 2] & 15 : codes.at[e / 2] >> 4];
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      if (r >= p.rows) break;
      const T* const x = p.x + r * p.k + half * each;
      float part = 0;
#pragma unroll
      for (int v = 0; v < each; v += N) {
        const Vector<T, N> of_x = load<N>(x + v);
#pragma unroll
        for (int e = 0; e < N; ++e) part += to_float(of_x.at[e]) * w[v + e];
      }
      sum[r] += part * factor;
    }
  }
#pragma unroll
  for (int r = 0; r < Rows; ++r) {
    if (r >= p.rows) break;
    sum[r] = warp_reduce(sum[r], Sum{});
    if (threadIdx.x % 32 == 0) p.put(sum[r], r, j);
  }
}

void launch(const Args& args, cudaStream_t stream) {
  check_sizes(args);
  if (args.y.size() == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    by_rows(args, [&](const Args& some, auto rows) {
      rows_at_once<T, decltype(rows)::value>
          <<<grid_x(some.n(), warps), 32 * warps, 0, stream>>>(problem_of<T>(some));
    });
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch, .supports = in_vectors);

}  // namespace
}  // namespace warpath::nf4_matmul
