// The column along x: neighbouring threads, neighbouring elements.
//
// What changed: x and y have changed places, nothing else. A warp reads 32 elements of one row, which lie side by side, and
// every byte that is fetched is used.
// Limit: two small loads in flight per thread, as in rung 01 of vector_add.
#include "core/host/dispatch.cuh"
#include "ops/elementwise/matrix_add/grid.cuh"

namespace warpath::matrix_add {
namespace {

template <class T>
__global__ void column_by_x(Matrix<const T> a, Matrix<const T> b, T* c, std::int64_t rows,
                            std::int64_t cols) {
  const std::int64_t col = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (col >= cols) return;
  for (std::int64_t row = std::int64_t(blockIdx.y) * blockDim.y + threadIdx.y; row < rows;
       row += std::int64_t(gridDim.y) * blockDim.y)
    c[row * cols + col] = from_float<T>(to_float(a(row, col)) + to_float(b(row, col)));
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t rows = args.c.shape[0], cols = args.c.shape[1];
  if (rows * cols == 0) return;
  dispatch_float(args.c.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const dim3 block(32, 8);
    column_by_x<<<grid_of(cols, rows, block), block, 0, stream>>>(
        matrix<T>(args.a), matrix<T>(args.b), args.c.as<T>(), rows, cols);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::matrix_add
