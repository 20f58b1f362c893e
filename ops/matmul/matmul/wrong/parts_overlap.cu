// k is cut into four parts of equal length, rounded up, and the last is not shortened but moved
// back: where k is no multiple of four its first products are counted twice.
#include "ops/matmul/matmul/problem.cuh"

namespace warpath::matmul {
namespace {

constexpr int down = 8, right = 32, parts = 4;

template <class T>
__global__ void parts_overlap(Problem<T> p) {
  __shared__ float partial[parts][down][right];
  const Place tile = place_of<down, right>(blockIdx.x, p.m, p.n);
  const int i = threadIdx.y % down, j = threadIdx.x, part = threadIdx.y / down;
  const std::int64_t row = tile.row + i, col = tile.col + j;
  const std::int64_t each = (p.k + parts - 1) / parts;
  const std::int64_t begin = max(std::int64_t(0), min(part * each, p.k - each));
  float sum = 0;
  if (row < p.m && col < p.n)
    for (std::int64_t l = begin; l < begin + each; ++l)
      sum += to_float(p.a.at(tile.batch, row, l)) * to_float(p.b.at(tile.batch, l, col));
  partial[part][i][j] = sum;
  __syncthreads();
  if (part > 0) return;
  for (int q = 1; q < parts; ++q) sum += partial[q][i][j];
  p.out.put(sum, tile.batch, row, col);
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.d.size() == 0) return;
  dispatch_float(args.a.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    parts_overlap<T><<<tiles_of(args, down, right), dim3(right, down * parts), 0, stream>>>(
        problem_of<T>(args));
  });
}

WARPATH_RUNG(Args, launch, .supports = any);

}  // namespace
}  // namespace warpath::matmul
