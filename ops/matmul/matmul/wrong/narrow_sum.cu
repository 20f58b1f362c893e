// The sum is kept in the type of the inputs: in 16 bits it stops growing, or drifts.
#include "ops/matmul/matmul/problem.cuh"

namespace warpath::matmul {
namespace {

constexpr int down = 8, right = 32;

template <class T>
__global__ void narrow_sum(Problem<T> p) {
  const Place tile = place_of<down, right>(blockIdx.x, p.m, p.n);
  const std::int64_t row = tile.row + threadIdx.y, col = tile.col + threadIdx.x;
  if (row >= p.m || col >= p.n) return;
  T sum = from_float<T>(0.0f);
  for (std::int64_t l = 0; l < p.k; ++l)
    sum = from_float<T>(to_float(sum) + to_float(p.a.at(tile.batch, row, l)) *
                                            to_float(p.b.at(tile.batch, l, col)));
  p.out.put(to_float(sum), tile.batch, row, col);
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.d.size() == 0) return;
  dispatch_float(args.a.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    narrow_sum<T>
        <<<tiles_of(args, down, right), dim3(right, down), 0, stream>>>(problem_of<T>(args));
  });
}

WARPATH_RUNG(Args, launch, .supports = any);

}  // namespace
}  // namespace warpath::matmul
