// Chunks of rows, each multiplied by tiles in shared memory: float arithmetic throughout.
//
// The logits of a chunk go to scratch memory, their gradient is computed over them, and both
// products with it follow at once, before the next chunk takes the same memory. So the memory is
// that of a chunk, whatever the number of rows. A product is the classic one: a block makes 32 x 32
// of it from tiles of 32 x 32, four elements per thread.
// Limit: an FMA needs two reads of shared memory, and the tensor cores are idle.
#include "ops/softmax/linear_cross_entropy/chunks.cuh"

namespace warpath::linear_cross_entropy {
namespace {

constexpr int side = 32, rows_of_threads = 8;

template <class T>
__global__ void __launch_bounds__(side* rows_of_threads) tiled(Product<T> p) {
  __shared__ float a[side][side + 1], b[side][side + 1];  // one more: no bank conflicts across rows
  const int tx = threadIdx.x % side, ty = threadIdx.x / side;
  const std::int64_t across = (p.n + side - 1) / side;
  const std::int64_t i0 = blockIdx.x / across * side, j0 = blockIdx.x % across * side;
  float sum[side / rows_of_threads] = {};
  for (std::int64_t l0 = 0; l0 < p.k; l0 += side) {
    for (int y = ty; y < side; y += rows_of_threads) {
      // Neighbouring threads read along the axis of stride 1.
      const int ai = p.a_k == 1 ? y : tx, al = p.a_k == 1 ? tx : y;
      const int bl = p.b_k == 1 ? tx : y, bj = p.b_k == 1 ? y : tx;
      a[ai][al] = i0 + ai < p.m && l0 + al < p.k
                      ? to_float(p.a[(i0 + ai) * p.a_row + (l0 + al) * p.a_k])
                      : 0.0f;
      b[bl][bj] = l0 + bl < p.k && j0 + bj < p.n
                      ? to_float(p.b[(l0 + bl) * p.b_k + (j0 + bj) * p.b_col])
                      : 0.0f;
    }
    __syncthreads();
    for (int l = 0; l < side; ++l)
#pragma unroll
      for (int q = 0; q < side / rows_of_threads; ++q)
        sum[q] += a[ty + q * rows_of_threads][l] * b[l][tx];
    __syncthreads();
  }
#pragma unroll
  for (int q = 0; q < side / rows_of_threads; ++q) {
    const std::int64_t i = i0 + ty + q * rows_of_threads, j = j0 + tx;
    if (i >= p.m || j >= p.n) continue;
    const std::int64_t at = i * p.d_row + j;
    if (!p.to_float)
      static_cast<T*>(p.d)[at] = from_float<T>(sum[q]);
    else if (float* d = static_cast<float*>(p.d); p.add)
      d[at] += sum[q];
    else
      d[at] = sum[q];
  }
}

void launch(const Args& args, cudaStream_t stream) {
  dispatch_float(args.hidden.dtype, [&]<class T>(Tag<T>) {
    launch_chunks<T, false>(args, stream, [&](const Product<T>& p) {
      const std::int64_t tiles = ceil_div(p.m, side) * ceil_div(p.n, side);
      if (tiles > 0) tiled<<<grid_x(tiles, 1), side * rows_of_threads, 0, stream>>>(p);
    });
  });
}

WARPATH_RUNG(Args, launch, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::linear_cross_entropy
