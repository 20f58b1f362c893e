// All rows of x at once, sixteen bytes per access: w is read once.
//
// What changed: a warp multiplies what it loads of a row of w with all rows of x, 1 to 16 sums per
// lane. Loads are 4 floats or 8 halves, and the loop is unrolled, so that several are on their way.
// Rows that do not start at multiples of 16 bytes take one element at a time.
// Limit: with one row, the memory. With more, the arithmetic: every product is a conversion or two
// and a multiplication, and all of x is loaded again for each row of w.
#include "core/block/reduce.cuh"
#include "ops/matmul/matvec/problem.cuh"

namespace warpath::matvec {
namespace {

constexpr int warps = 4;  // of a block

template <class T, int N, int Rows>
__global__ void __launch_bounds__(32 * warps) rows_at_once(Problem<T> p) {
  const std::int64_t j = std::int64_t(blockIdx.x) * warps + threadIdx.x / 32;
  if (j >= p.n) return;
  const T* const w = p.w + j * p.k;
  float sum[Rows] = {};
#pragma unroll 4
  for (std::int64_t l = threadIdx.x % 32 * N; l < p.k; l += 32 * N) {
    const Vector<T, N> of_w = load_once<N>(w + l);
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      if (r >= p.rows) break;
      const Vector<T, N> of_x = load<N>(p.x + r * p.k + l);
#pragma unroll
      for (int e = 0; e < N; ++e) sum[r] += to_float(of_x.at[e]) * to_float(of_w.at[e]);
    }
  }
#pragma unroll
  for (int r = 0; r < Rows; ++r) {
    if (r >= p.rows) break;
    sum[r] = warp_reduce(sum[r], Sum{});
    if (threadIdx.x % 32 == 0) p.put(sum[r], r, j);
  }
}

template <class T, int N>
void launch_width(const Args& args, cudaStream_t stream) {
  const auto start = [&](auto rows) {
    rows_at_once<T, N, decltype(rows)::value>
        <<<grid_x(args.n(), warps), 32 * warps, 0, stream>>>(problem_of<T>(args));
  };
  if (args.rows() <= 1)
    start(std::integral_constant<int, 1>{});
  else if (args.rows() <= 4)
    start(std::integral_constant<int, 4>{});
  else
    start(std::integral_constant<int, most_rows>{});
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.y.size() == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    by_rows(args, [&](const Args& some) {
      if (in_vectors(args))
        launch_width<T, lanes_of_16<T>>(some, stream);
      else
        launch_width<T, 1>(some, stream);
    });
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::matvec
