// Each thread of a block leaves the part of a row of its own, and thread 0 counts the block as done. Its fence covers what it
// has written itself; the threads of other warps may not have written yet.
#include "core/block/last_block.cuh"
#include "ops/reduce/norm/kinds.cuh"

namespace warpath::norm {
namespace {

constexpr int rows_a_block = 64;
constexpr std::int64_t columns_a_block = 64;

template <class T, class K>
__global__ void counted_early(const T* x, T* y, std::int64_t rows, std::int64_t cols,
                              std::int64_t row_stride, std::int64_t col_stride, float* partials,
                              unsigned* done, K kind) {
  __shared__ bool is_last;
  const typename K::Op op;
  const std::int64_t row = std::int64_t(blockIdx.x) * rows_a_block + threadIdx.x;
  const std::int64_t first = blockIdx.y * columns_a_block;
  float total = 0.0f;
  for (std::int64_t c = first; row < rows && c < min(first + columns_a_block, cols); ++c)
    total = op(total, kind(to_float(x[row * row_stride + c * col_stride])));
  if (row < rows) partials[blockIdx.y * rows + row] = total;
  if (!is_last_block(&done[blockIdx.x], gridDim.y, is_last)) return;
  if (threadIdx.x == 0) atomicExch(&done[blockIdx.x], 0u);
  total = 0.0f;
  for (unsigned p = 0; row < rows && p < gridDim.y; ++p)
    total = op(total, __ldcg(&partials[p * rows + row]));
  if (row < rows) y[row] = from_float<T>(kind.finish(total));
}

std::int64_t parts(const Args& args) {
  return std::max<std::int64_t>(1, ceil_div(args.x.shape[1], columns_a_block));
}
std::int64_t counter_bytes(const Args& args) {
  return ceil_div(ceil_div(args.x.shape[0], rows_a_block), 4) * 16;
}
std::int64_t scratch_bytes(const Args& args) {
  return counter_bytes(args) + parts(args) * args.x.shape[0] * 4;
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.x.shape[0] == 0) return;
  auto* const done = static_cast<unsigned*>(args.scratch.data);
  auto* const partials = static_cast<float*>(args.scratch.data) + counter_bytes(args) / 4;
  const dim3 grid(grid_x(args.x.shape[0], rows_a_block), unsigned(parts(args)));
  dispatch_norm(args, [&](auto tag, auto kind) {
    using T = typename decltype(tag)::type;
    counted_early<<<grid, rows_a_block, 0, stream>>>(
        args.x.as<const T>(), args.y.as<T>(), args.x.shape[0], args.x.shape[1], args.x.stride[0],
        args.x.stride[1], partials, done, kind);
  });
}

WARPATH_RUNG(Args, launch, .scratch = scratch_bytes, .zeroed = counter_bytes, .race = true,
             .weak_memory = true);

}  // namespace
}  // namespace warpath::norm
