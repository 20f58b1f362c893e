// Groups of 256 blocks are counted from the start of each row; they go on from one row to the next.
#include "ops/quant/nf4_matmul/problem.cuh"

namespace warpath::nf4_matmul {
namespace {

template <class T>
__global__ void groups_by_row(const Problem<T> p) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= p.rows * p.n) return;
  const std::int64_t row = i / p.n, j = i % p.n;
  float sum = 0;
  for (std::int64_t l = 0; l < p.k; ++l) {
    const std::int64_t at = j * p.k + l;
    const unsigned byte = p.codes[at / 2], code = l % 2 ? byte & 15 : byte >> 4;
    const float factor =
        fmaf(p.map.at[p.absmax[at / nf4::block]], p.scales[l / nf4::block / nf4::group], *p.offset);
    sum += to_float(p.x[row * p.k + l]) * (p.values.at[code] * factor);
  }
  p.put(sum, row, j);
}

void launch(const Args& args, cudaStream_t stream) {
  check_sizes(args);
  if (args.y.size() == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    groups_by_row<T><<<grid_x(args.y.size(), 128), 128, 0, stream>>>(problem_of<T>(args));
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::nf4_matmul
