// Sixteen bytes per access, and a swizzle in place of the padding.
//
// What changed: a thread reads a vector of 4 floats or 8 halves and writes such a vector; only the
// gather of a column from shared memory goes element by element. Padding would break the 16-byte
// alignment of the tile's rows, so the vectors of a row are permuted instead (tile.cuh; the kernel
// is in swizzled.cuh). Every thread has two loads in flight. Rows that do not start at a multiple
// of 16 bytes cannot be read this way: those shapes take the padded kernel's path, one element per
// access.
// Limit: the memory, for aligned shapes; half of its rate and less for the others.
#include "core/host/dispatch.cuh"
#include "ops/layout/transpose/swizzled.cuh"
#include "ops/layout/transpose/transpose.h"

namespace warpath::transpose {
namespace {

constexpr int side = 64;

template <class T>
__global__ void __launch_bounds__(256)
    padded(const T* x, T* y, std::int64_t rows, std::int64_t cols, unsigned tiles_down) {
  __shared__ T tile[side][side + 1];
  const auto [r0, c0] = place_of_tile<side, side>(blockIdx.x, tiles_down);
  for (int k = threadIdx.x; k < side * side; k += 256) {
    const int i = k / side, j = k % side;
    if (r0 + i < rows && c0 + j < cols) tile[i][j] = x[(r0 + i) * cols + c0 + j];
  }
  __syncthreads();
  for (int k = threadIdx.x; k < side * side; k += 256) {
    const int j = k / side, i = k % side;
    if (r0 + i < rows && c0 + j < cols) y[(c0 + j) * rows + r0 + i] = tile[i][j];
  }
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows * cols == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* x = args.x.as<T>();
    T* y = args.y.as<T>();
    if (rows_are_vectors(x, y, rows, cols)) return launch_swizzled(x, y, rows, cols, stream);
    const auto tiles_down = static_cast<unsigned>(ceil_div(rows, side));
    const unsigned tiles = grid_x(tiles_down * ceil_div(cols, side), 1);
    padded<T><<<tiles, 256, 0, stream>>>(x, y, rows, cols, tiles_down);
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::transpose
