// Only the flat index is compared with the size: a thread past the end of its row writes into the next one.
#include "core/host/dispatch.cuh"
#include "ops/elementwise/matrix_add/grid.cuh"

namespace warpath::matrix_add {
namespace {

template <class T>
__global__ void one_bound(Matrix<const T> a, Matrix<const T> b, T* c, std::int64_t rows,
                          std::int64_t cols) {
  const std::int64_t col = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t row = std::int64_t(blockIdx.y) * blockDim.y + threadIdx.y;
  const std::int64_t i = row * cols + col;
  if (i < rows * cols) c[i] = from_float<T>(to_float(a(row, col)) + to_float(b(row, col)));
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t rows = args.c.shape[0], cols = args.c.shape[1];
  if (rows * cols == 0) return;
  dispatch_float(args.c.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const dim3 block(32, 8);
    one_bound<<<grid_of(cols, rows, block), block, 0, stream>>>(
        matrix<T>(args.a), matrix<T>(args.b), args.c.as<T>(), rows, cols);
  });
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::matrix_add
