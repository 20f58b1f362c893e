// Sixteen bytes per thread and access, whatever the length of the rows.
//
// What changed: x, the residual and y are moved as flat vectors, which do not care where a row ends. Only the bias does: the
// column of a thread's first element is found by a product with a factor computed on the host (divisor.cuh) instead of a
// division, and the next ones follow, back to 0 at the end of a row. Where rows are whole vectors the bias is loaded as one too.
// The choice of the activation is tested once per vector.
// Limit: the memory.
#include "core/host/dispatch.cuh"
#include "core/thread/divisor.cuh"
#include "ops/elementwise/fused_elementwise/activation.cuh"
#include "ops/elementwise/pointwise.cuh"

namespace warpath::fused_elementwise {
namespace {

using pointwise::threads;

// A piece of whole rows, so small that its elements are counted in 31 bits.
template <class T>
struct Piece {
  const T *x, *bias, *residual;
  T* y;
  int n, cols;
  Divisor by_cols;
  bool whole;  // rows are whole vectors
  Activation activation;
  float scale;
};

// The biases of N neighbouring elements, from element i of the piece on.
template <int N, class T>
__device__ __forceinline__ void add_bias(float (&z)[N], const Piece<T>& p, int i) {
  int col = i - p.by_cols.quotient(i) * p.cols;
  if (N > 1 && p.whole) {
    const Vector<T, N> bias = load<N>(p.bias + col);
#pragma unroll
    for (int k = 0; k < N; ++k) z[k] += to_float(bias.at[k]);
    return;
  }
#pragma unroll
  for (int k = 0; k < N; ++k) {
    z[k] += to_float(p.bias[col]);
    if (++col == p.cols) col = 0;
  }
}

// `Steps` vectors, the first at element `first`, one block's vectors apart; `end` is past the last whole one.
template <int N, int Steps, class T>
__device__ __forceinline__ void compute(const Piece<T>& p, int first, int end) {
  constexpr int apart = threads<T> * N;
  Vector<T, N> x[Steps], residual[Steps];
#pragma unroll
  for (int s = 0; s < Steps; ++s) {
    const int i = first + s * apart;
    x[s] = load_kept<N>(p.x + i, i < end);
    residual[s] = load_kept<N>(p.residual + i, p.residual && i < end);  // zeros where there is none
  }
  float z[Steps * N];
#pragma unroll
  for (int s = 0; s < Steps; ++s) {
    float part[N];
#pragma unroll
    for (int k = 0; k < N; ++k) part[k] = to_float(x[s].at[k]);
    if (const int i = first + s * apart; p.bias && i < end) add_bias(part, p, i);
#pragma unroll
    for (int k = 0; k < N; ++k) z[s * N + k] = part[k];
  }
  activate(z, p.activation);
#pragma unroll
  for (int s = 0; s < Steps; ++s) {
    float part[N];
#pragma unroll
    for (int k = 0; k < N; ++k) part[k] = p.scale * (z[s * N + k] + to_float(residual[s].at[k]));
    if (const int i = first + s * apart; i < end) store<N>(p.y + i, pointwise::round_all<T>(part));
  }
}

template <int N, class T>
__global__ void __launch_bounds__(threads<T>) fused(Piece<T> p) {
  constexpr int steps = lanes_of_16<T> / N;
  const int body = p.n / N * N;
  compute<N, steps>(p, (int(blockIdx.x) * steps * threads<T> + int(threadIdx.x)) * N, body);
  // The last elements, which fill no vector.
  if (N > 1 && blockIdx.x == gridDim.x - 1 && int(threadIdx.x) < p.n - body)
    compute<1, 1>(p, body + int(threadIdx.x), p.n);
}

constexpr std::int64_t longest_row = std::int64_t(1) << 26;

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows * cols == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T *x = args.x.as<T>(), *bias = args.bias.as<T>(), *residual = args.residual.as<T>();
    T* y = args.y.as<T>();
    constexpr int N = lanes_of_16<T>;
    const bool aligned = all_aligned(16, x, residual, y);
    const bool whole = aligned && cols % N == 0 && all_aligned(16, bias);
    // A multiple of 8 rows, so that every piece is aligned as the first one is.
    const std::int64_t most = (std::int64_t(1) << 30) / cols / 8 * 8;
    for (std::int64_t row = 0; row < rows; row += most) {
      const std::int64_t at = row * cols, n = std::min(most, rows - row) * cols;
      const Piece<T> piece{x + at,
                           bias,
                           residual ? residual + at : nullptr,
                           y + at,
                           int(n),
                           int(cols),
                           Divisor::of(int(cols)),
                           whole,
                           args.activation,
                           float(args.scale)};
      const unsigned blocks = grid_x(n, threads<T> * N);
      if (aligned)
        fused<N><<<blocks, threads<T>, 0, stream>>>(piece);
      else
        fused<1><<<blocks, threads<T>, 0, stream>>>(piece);
    }
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string fits(const Args& args) {
  return args.x.shape[1] <= longest_row ? "" : "rows of more than 2^26 elements";
}

WARPATH_RUNG(Args, launch, .supports = fits);

}  // namespace
}  // namespace warpath::fused_elementwise
