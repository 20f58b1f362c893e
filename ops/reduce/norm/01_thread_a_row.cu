// One thread walks along a row.
//
// Limit: neighbouring threads read addresses that are a row apart, and few rows leave most of the GPU idle. Rows over 2^20
// elements are refused: one thread would take seconds.
#include "ops/reduce/norm/kinds.cuh"

namespace warpath::norm {
namespace {

template <class T, class K>
__global__ void thread_a_row(const T* x, T* y, std::int64_t rows, std::int64_t cols, K kind) {
  const std::int64_t row = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const typename K::Op op;
  float total = 0.0f;
  for (std::int64_t c = 0; c < cols; ++c) total = op(total, kind(to_float(x[row * cols + c])));
  y[row] = from_float<T>(kind.finish(total));
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows == 0) return;
  dispatch_norm(args, [&](auto tag, auto kind) {
    using T = typename decltype(tag)::type;
    constexpr int each = 128;
    thread_a_row<<<grid_x(rows, each), each, 0, stream>>>(args.x.as<const T>(), args.y.as<T>(),
                                                          rows, cols, kind);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string supports(const Args& args) {
  return args.x.shape[1] <= (1 << 20)
             ? in_rows(args)
             : "takes rows of at most 2^20 elements: one thread walks along each";
}

WARPATH_RUNG(Args, launch, .supports = supports);

}  // namespace
}  // namespace warpath::norm
