// The same loops; neighbouring threads take neighbouring columns.
//
// What changed: which index of d follows threadIdx.x. The threads of a warp now read 32 neighbours
// of a row of b, 128 bytes in one go, and all the same element of a, which is sent to all of them
// at once. The writes are neighbours too.
// Limit: every product still needs two loads. A row of a and a column of b are read again for each
// of the elements of d that they make, mostly from the caches, and the load units are what is busy.
#include "ops/matmul/matmul/problem.cuh"

namespace warpath::matmul {
namespace {

constexpr int down = 8, right = 32;  // a block's part of d; a warp is one row of it

template <class T>
__global__ void coalesced(Problem<T> p) {
  const Place tile = place_of<down, right>(blockIdx.x, p.m, p.n);
  const std::int64_t row = tile.row + threadIdx.y, col = tile.col + threadIdx.x;
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
    coalesced<T>
        <<<tiles_of(args, down, right), dim3(right, down), 0, stream>>>(problem_of<T>(args));
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch, .supports = any);

}  // namespace
}  // namespace warpath::matmul
