// A block per row: its threads take every 256th element and join by shuffles.
//
// What changed: the loads of a warp are neighbours, and a row has 256 threads. The root is taken once, by one thread.
// Limit: one long row is the work of one SM. A thread has a load or two in flight, of 2 or 4 bytes. Sums of more than 2^20
// elements are refused: a thread's float sum of a million squares no longer notices the small ones.
#include "ops/reduce/norm/kinds.cuh"

namespace warpath::norm {
namespace {

constexpr int each = 256;

template <class T, class K>
__global__ void __launch_bounds__(each) block_a_row(const T* x, T* y, std::int64_t cols, K kind) {
  __shared__ float slots[each / 32];
  const typename K::Op op;
  const T* const row = x + blockIdx.x * cols;
  float mine = 0.0f;
  for (std::int64_t c = threadIdx.x; c < cols; c += each) mine = op(mine, kind(to_float(row[c])));
  const float total = block_reduce<each>(mine, op, slots);
  if (threadIdx.x == 0) y[blockIdx.x] = from_float<T>(kind.finish(total));
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows == 0) return;
  dispatch_norm(args, [&](auto tag, auto kind) {
    using T = typename decltype(tag)::type;
    block_a_row<<<grid_x(rows, 1), each, 0, stream>>>(args.x.as<const T>(), args.y.as<T>(), cols,
                                                      kind);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string supports(const Args& args) {
  return args.kind == Kind::infinity || args.x.shape[1] <= (1 << 20)
             ? in_rows(args)
             : "takes sums of at most 2^20 elements: 256 float sums of longer rows are too coarse";
}

WARPATH_RUNG(Args, launch, .supports = supports);

}  // namespace
}  // namespace warpath::norm
