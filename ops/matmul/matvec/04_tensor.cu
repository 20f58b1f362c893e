// The tensor cores take the arithmetic, eight warps share a row: only the memory is left.
//
// What changed: one mma.sync multiplies 16 rows of w by 8 rows of x, so eight rows cost as much as
// one. Lanes load 16 bytes of w straight into the registers it multiplies from, without shared
// memory, because the order of k is free (tensor.cuh). The eight warps of a block alternate along
// k, so a few thousand rows of w are enough to keep every multiprocessor's loads busy.
// Limit: the memory, for large w. A small one has too few blocks.
#include "ops/matmul/matvec/tensor.cuh"

namespace warpath::matvec {
namespace {

template <class T, int Groups>
__global__ void __launch_bounds__(threads) tensor(Problem<T> p) {
  __shared__ float part[warps][8 * Groups][outputs];
  const std::int64_t j0 = std::int64_t(blockIdx.x) * outputs;
  Lane<T, Groups> lane;
  lane.add(p, j0, 0, p.k);
  const float sum = lane.total(part);
  const int row = threadIdx.x / outputs;
  const std::int64_t j = j0 + threadIdx.x % outputs;
  if (row < p.rows && j < p.n) p.put(sum, row, j);
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.y.size() == 0) return;
  dispatch<__half, __nv_bfloat16>(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    by_rows(args, [&](const Args& some) {
      with_groups(some, [&](auto groups) {
        tensor<T, decltype(groups)::value>
            <<<grid_x(some.n(), outputs), threads, 0, stream>>>(problem_of<T>(some));
      });
    });
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch, .supports = tensor_cores);

}  // namespace
}  // namespace warpath::matvec
