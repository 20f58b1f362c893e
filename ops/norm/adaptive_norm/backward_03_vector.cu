// The tokens of x and dy live in registers, and so do the sums of a block.
//
// What changed: 16-byte loads, each element of x, dy and ds read once. A thread has the same eight columns of every token, of
// one image: 1 + scale is loaded once, and the sums for dscale and dshift are sixteen registers until the walk ends.
// Several short tokens share a block, which adds up their sums in shared memory. Where an image is one block's, that
// block writes dscale and dshift itself.
// Limit: the memory; between the loads of one token and the next stands the barrier of the row's sums. Rows over 4096
// elements are left to the rung before.
#include "core/host/dispatch.cuh"
#include "ops/norm/adaptive_norm/adaptive_norm.h"
#include "ops/norm/adaptive_norm/parts.cuh"

namespace warpath::adaptive_norm {
namespace {

using norm::Row, norm::RowSlots, norm::row_sums, norm::to_floats;

constexpr int each = 8;            // columns per thread
constexpr int most_threads = 512;  // and so rows of up to 4096 elements
constexpr int shared_threads = 256;

template <class T>
struct Problem {
  const T *x, *dy, *ds;
  const float *means, *rstds;
  PerImage<const T> scale;
  T* dx;
  PerImage<T> dscale, dshift;
  float* sums;
  std::int64_t parts, tokens;
  int cols;
};

// Adds up the sums of the block's rows of threads; the first row leaves them.
template <class T, int N, int Items>
__device__ __forceinline__ void leave(const Problem<T>& p, std::int64_t image,
                                      float (&own)[2][Items][N]) {
  __shared__ float all[2][shared_threads * each];
  const int width = int(blockDim.x) * each;
  if (blockDim.y > 1) {
#pragma unroll
    for (int e = 0; e < 2 * each; ++e)
      all[e / each][threadIdx.y * width + Row<T, N, Items>::column(e % each / N) + e % N] =
          own[e / each][e % each / N][e % N];
    __syncthreads();
  }
  if (threadIdx.y > 0) return;
#pragma unroll
  for (int e = 0; e < each; ++e) {
    const int column = Row<T, N, Items>::column(e / N) + e % N;
    if (column >= p.cols) continue;
    float sum[2] = {own[0][e / N][e % N], own[1][e / N][e % N]};
    for (unsigned y = 1; y < blockDim.y; ++y) {
      sum[0] += all[0][y * width + column];
      sum[1] += all[1][y * width + column];
    }
    if (p.parts == 1) {
      p.dscale.at(image, column) = from_float<T>(sum[0]);
      p.dshift.at(image, column) = from_float<T>(sum[1]);
    } else {
      float* const out = p.sums + std::int64_t(blockIdx.x) * 2 * p.cols + column;
      out[0] = sum[0];
      out[p.cols] = sum[1];
    }
  }
}

template <class T, int N>
__global__ void __launch_bounds__(most_threads) walk(const Problem<T> p) {
  constexpr int Items = each / N;
  __shared__ RowSlots slots[2][2];  // two sets in turn: one barrier per token
  const std::int64_t image = blockIdx.x / p.parts, part = blockIdx.x % p.parts;
  const T* const scale = p.scale.data + image * p.scale.row;
  float w[Items][N], own[2][Items][N] = {};
#pragma unroll
  for (int i = 0; i < Items; ++i) {
    const int column = Row<T, N, Items>::column(i);
    to_floats(column < p.cols ? load<N>(scale + column) : Vector<T, N>{}, w[i]);
#pragma unroll
    for (int n = 0; n < N; ++n) w[i][n] += 1.0f;
  }
  int turn = 0;
  for (std::int64_t first = part * blockDim.y; first < p.tokens; first += p.parts * blockDim.y) {
    const std::int64_t token = first + threadIdx.y, row = image * p.tokens + token;
    const std::int64_t start = row * p.cols;
    const int inside = token < p.tokens ? p.cols : 0;
    Row<T, N, Items> x, dy, ds;
    x.load(p.x + start, inside);
    dy.load(p.dy + start, inside);
    ds.load(p.ds + start, p.ds ? inside : 0);
    const float mean = inside ? p.means[row] : 0.0f, rstd = inside ? p.rstds[row] : 0.0f;

    float sums[2] = {0, 0};
    for_each_pair(x, dy, inside, [&](const float(&a)[N], const float(&b)[N], int i, int) {
#pragma unroll
      for (int n = 0; n < N; ++n) {
        const float product = b[n] * ((a[n] - mean) * rstd);
        own[0][i][n] += product;
        own[1][i][n] += b[n];
        sums[0] += b[n] * w[i][n];
        sums[1] += product * w[i][n];
      }
    });
    row_sums(sums, slots[turn]);
    turn ^= 1;

    const float sum = sums[0] / float(p.cols), dot = sums[1] / float(p.cols);
    for_each_pair(x, dy, inside, [&](float(&a)[N], const float(&b)[N], int i, int column) {
      float c[N];
      to_floats(ds.at[i], c);
#pragma unroll
      for (int n = 0; n < N; ++n)
        a[n] = rstd * (b[n] * w[i][n] - sum - (a[n] - mean) * rstd * dot) + c[n];
      store<N>(p.dx + start + column, norm::from_floats<T>(a));
    });
  }
  leave<T, N, Items>(p, image, own);
}

dim3 block_of(const Backward& args) {
  return norm::row_block(args.x.shape[2], each, shared_threads);
}
std::int64_t parts_of_call(const Backward& args) {
  return parts_of(args.x.shape[0], args.x.shape[1], block_of(args));
}

void launch(const Backward& args, cudaStream_t stream) {
  const std::int64_t images = args.x.shape[0], cols = args.x.shape[2];
  if (images * cols == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Problem<T> p{args.x.as<T>(),
                       args.dy.as<T>(),
                       args.ds.as<T>(),
                       args.mean.as<float>(),
                       args.rstd.as<float>(),
                       PerImage<const T>(args.scale),
                       args.dx.as<T>(),
                       PerImage<T>(args.dscale),
                       PerImage<T>(args.dshift),
                       static_cast<float*>(args.scratch.data),
                       parts_of_call(args),
                       args.x.shape[1],
                       int(cols)};
    const auto with = [&](auto width) {
      walk<T, decltype(width)::value>
          <<<grid_x(images * p.parts, 1), block_of(args), 0, stream>>>(p);
    };
    with_width<T>(cols, rows_aligned<T>(args.scale), with, p.x, p.dy, p.ds, p.dx);
    if (p.parts > 1) launch_add_parts<2>(p.sums, images, p.parts, p.dscale, p.dshift, cols, stream);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t scratch_bytes(const Backward& args) {
  const std::int64_t parts = parts_of_call(args);
  return parts > 1 ? parts_bytes(args.x.shape[0], parts, 2, args.x.shape[2]) : 0;
}

std::string supports(const Backward& args) {
  if (args.x.shape[2] > each * most_threads) return "holds rows of up to 4096 elements";
  return side_by_side(args.scale) ? "" : needs_side_by_side();
}

WARPATH_RUNG(Backward, launch, .supports = supports, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::adaptive_norm
