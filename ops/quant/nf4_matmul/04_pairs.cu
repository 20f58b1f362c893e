// A table of pairs: one lookup per byte gives two weights.
//
// What changed: shared memory holds the two values of all 256 bytes, so a byte costs one shift and one 8-byte lookup in place
// of two shifts, two masks and two lookups. With one copy, lanes with different bytes would meet in the same banks; there
// are sixteen, entry by entry side by side, and lane l asks copy l % 16. An 8-byte access is served for sixteen lanes at a
// time, so none waits for another. The 32 KiB are filled once per block of threads, which stays and takes many rows of w.
// Limit: with one row of x the loads of x and latency, see 06; with more, the products.
#include "core/block/reduce.cuh"
#include "core/host/device.cuh"
#include "ops/quant/nf4_matmul/problem.cuh"

namespace warpath::nf4_matmul {
namespace {

constexpr int warps = 16;  // of a block of threads
constexpr int copies = 16;
constexpr int each = 32;  // weights of a lane per load: half a block

template <class T, int Rows>
__global__ void __launch_bounds__(32 * warps) pairs(const Problem<T> p) {
  __shared__ float2 table[256][copies];
  __shared__ float map[256];
  if (threadIdx.x < 256) map[threadIdx.x] = p.map.at[threadIdx.x];
  for (int i = threadIdx.x; i < 256 * copies; i += 32 * warps) {
    const int byte = i / copies;
    table[byte][i % copies] = make_float2(p.values.at[byte >> 4], p.values.at[byte & 15]);
  }
  __syncthreads();
  constexpr int N = lanes_of_16<T>;
  const int lane = threadIdx.x % 32;
  for (std::int64_t j = std::int64_t(blockIdx.x) * warps + threadIdx.x / 32; j < p.n;
       j += std::int64_t(gridDim.x) * warps) {
    float sum[Rows] = {};
    for (std::int64_t half = lane; half < 2 * p.blocks; half += 32) {
      const std::int64_t at = 2 * j * p.blocks + half;
      const Vector<unsigned char, 16> codes = load_once<16>(p.codes + at * 16);
      const float factor = p.factor(at / 2, map);
      float2 w[each / 2];
#pragma unroll
      for (int e = 0; e < each / 2; ++e) w[e] = table[codes.at[e]][lane % copies];
#pragma unroll
      for (int r = 0; r < Rows; ++r) {
        if (r >= p.rows) break;
        const T* const x = p.x + r * p.k + half * each;
        float part = 0;
#pragma unroll
        for (int v = 0; v < each; v += N) {
          const Vector<T, N> of_x = load<N>(x + v);
#pragma unroll
          for (int e = 0; e < N; e += 2) {
            part += to_float(of_x.at[e]) * w[(v + e) / 2].x;
            part += to_float(of_x.at[e + 1]) * w[(v + e) / 2].y;
          }
        }
        sum[r] += part * factor;
      }
    }
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      if (r >= p.rows) break;
      sum[r] = warp_reduce(sum[r], Sum{});
      if (lane == 0) p.put(sum[r], r, j);
    }
  }
}

void launch(const Args& args, cudaStream_t stream) {
  check_sizes(args);
  if (args.y.size() == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    by_rows(args, [&](const Args& some, auto rows) {
      const unsigned grid = std::min(grid_x(some.n(), warps), 4 * multiprocessors());
      pairs<T, decltype(rows)::value><<<grid, 32 * warps, 0, stream>>>(problem_of<T>(some));
    });
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch, .supports = in_vectors);

}  // namespace
}  // namespace warpath::nf4_matmul
