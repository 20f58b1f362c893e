// One thread, one element of d: a row of a times a column of b.
//
// Three loops, two of them made of threads. Neighbouring threads take neighbouring rows, so a warp
// reads 16 different rows of a at once and writes 16 rows of d, two elements each.
// Limit: scattered accesses. Every load of a brings a 32-byte sector for each row and uses 4
// bytes of it.
#include "ops/matmul/matmul/problem.cuh"

namespace warpath::matmul {
namespace {

constexpr int side = 16;  // of a block's square of d

template <class T>
__global__ void naive(Problem<T> p) {
  const Place tile = place_of<side, side>(blockIdx.x, p.m, p.n);
  const std::int64_t row = tile.row + threadIdx.x, col = tile.col + threadIdx.y;
  if (row >= p.m || col >= p.n) return;
  float sum = 0;
  for (std::int64_t l = 0; l < p.k; ++l)
    sum += to_float(p.a.at(tile.batch, row, l)) * to_float(p.b.at(tile.batch, l, col));
  p.out.put(sum, tile.batch, row, col);
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.d.size() == 0) return;
  dispatch_float(args.a.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    naive<T><<<tiles_of(args, side, side), dim3(side, side), 0, stream>>>(problem_of<T>(args));
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch, .supports = any);

}  // namespace
}  // namespace warpath::matmul
