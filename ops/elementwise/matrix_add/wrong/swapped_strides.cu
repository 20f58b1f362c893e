// Rows and columns change places in one operand: right where b is symmetric or laid out that way.
#include "core/host/dispatch.cuh"
#include "ops/elementwise/matrix_add/grid.cuh"

namespace warpath::matrix_add {
namespace {

template <class T>
__global__ void swapped_strides(Matrix<const T> a, Matrix<const T> b, T* c, std::int64_t rows,
                                std::int64_t cols) {
  const std::int64_t col = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t row = std::int64_t(blockIdx.y) * blockDim.y + threadIdx.y;
  if (row < rows && col < cols)
    c[row * cols + col] =
        from_float<T>(to_float(a(row, col)) + to_float(b.data[row * b.step + col * b.pitch]));
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t rows = args.c.shape[0], cols = args.c.shape[1];
  if (rows * cols == 0) return;
  dispatch_float(args.c.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const dim3 block(32, 8);
    swapped_strides<<<grid_of(cols, rows, block), block, 0, stream>>>(
        matrix<T>(args.a), matrix<T>(args.b), args.c.as<T>(), rows, cols);
  });
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::matrix_add
