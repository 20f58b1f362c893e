// A two-dimensional grid of threads, the row along x: what the names suggest, and the wrong way round.
//
// Matrices are written [row, column], so x looks like the row. But x is the index that differs from one thread of a warp to
// the next: 32 neighbouring threads read 32 different rows, a whole row apart, and each of their accesses fetches a sector of
// 32 bytes for one element.
// Limit: eight or sixteen times the bytes are moved, unless a cache holds the sectors until the neighbouring column is read.
#include "core/host/dispatch.cuh"
#include "ops/elementwise/matrix_add/grid.cuh"

namespace warpath::matrix_add {
namespace {

template <class T>
__global__ void row_by_x(Matrix<const T> a, Matrix<const T> b, T* c, std::int64_t rows,
                         std::int64_t cols) {
  const std::int64_t row = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  for (std::int64_t col = std::int64_t(blockIdx.y) * blockDim.y + threadIdx.y; col < cols;
       col += std::int64_t(gridDim.y) * blockDim.y)
    c[row * cols + col] = from_float<T>(to_float(a(row, col)) + to_float(b(row, col)));
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t rows = args.c.shape[0], cols = args.c.shape[1];
  if (rows * cols == 0) return;
  dispatch_float(args.c.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const dim3 block(32, 8);
    row_by_x<<<grid_of(rows, cols, block), block, 0, stream>>>(matrix<T>(args.a), matrix<T>(args.b),
                                                               args.c.as<T>(), rows, cols);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::matrix_add
