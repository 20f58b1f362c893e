// alpha (a b + beta c): the same while one of the two factors is 1.
#include "ops/matmul/matmul/problem.cuh"

namespace warpath::matmul {
namespace {

constexpr int down = 8, right = 32;

template <class T>
__global__ void beta_before_alpha(Problem<T> p) {
  const Place tile = place_of<down, right>(blockIdx.x, p.m, p.n);
  const std::int64_t row = tile.row + threadIdx.y, col = tile.col + threadIdx.x;
  if (row >= p.m || col >= p.n) return;
  float sum = 0;
  for (std::int64_t l = 0; l < p.k; ++l)
    sum += to_float(p.a.at(tile.batch, row, l)) * to_float(p.b.at(tile.batch, l, col));
  Epilogue<T> out = p.out;
  out.beta *= out.alpha;
  out.put(sum, tile.batch, row, col);
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.d.size() == 0) return;
  dispatch_float(args.a.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    beta_before_alpha<T>
        <<<tiles_of(args, down, right), dim3(right, down), 0, stream>>>(problem_of<T>(args));
  });
}

WARPATH_RUNG(Args, launch, .supports = any);

}  // namespace
}  // namespace warpath::matmul
