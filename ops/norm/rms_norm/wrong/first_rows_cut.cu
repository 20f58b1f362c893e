// Keeps the weights of its first row's vectors, but walks in steps after which rows are cut elsewhere.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/cut.cuh"
#include "core/warp/reduce.cuh"
#include "ops/norm/floats.cuh"
#include "ops/norm/rms_norm/rms_norm.h"

namespace warpath::rms_norm {
namespace {

// One warp per block; rows of up to 32 vectors.
template <class T>
__global__ void first_rows_cut(const T* x, const T* weight, T* y, float* rstds, float eps,
                               std::int64_t rows, std::int64_t cols) {
  constexpr int N = lanes_of_16<T>;
  const int lane = threadIdx.x;
  const auto weight_of = [&](int column) { return weight ? to_float(weight[column]) : 1.0f; };
  const Cut<N> first(x + blockIdx.x * cols, cols);
  float kept[N];
  for (int n = 0; n < N; ++n)
    kept[n] = lane < first.vectors ? weight_of(first.column(lane) + n) : 0.0f;
  for (std::int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const Cut<N> cut(x + row * cols, cols);
    const int edge = cut.edge(lane);
    const float at_edge = edge < 0 ? 0.0f : to_float(x[row * cols + edge]);
    float v[N] = {}, squares = at_edge * at_edge;
    if (lane < cut.vectors) norm::to_floats(load<N>(x + row * cols + cut.column(lane)), v);
    for (int n = 0; n < N; ++n) squares += v[n] * v[n];
    const float rstd = rsqrtf(warp_reduce(squares, Sum{}) / float(cols) + eps);
    for (int n = 0; n < N; ++n) v[n] *= rstd * kept[n];
    if (lane < cut.vectors) store<N>(y + row * cols + cut.column(lane), norm::from_floats<T>(v));
    if (edge >= 0) y[row * cols + edge] = from_float<T>(at_edge * rstd * weight_of(edge));
    if (lane == 0 && rstds) rstds[row] = rstd;
  }
}

void launch(const Forward& args, cudaStream_t stream) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  if (rows == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto blocks = static_cast<unsigned>(std::min<std::int64_t>(rows, 132));
    first_rows_cut<T><<<blocks, 32, 0, stream>>>(args.x.as<T>(), args.weight.as<T>(),
                                                 args.y.as<T>(), args.rstd.as<float>(),
                                                 static_cast<float>(args.eps), rows, cols);
  });
}

std::string supports(const Forward& args) {
  const std::int64_t lanes = 16 / std::int64_t(size_of(args.x.dtype));
  if (args.x.shape[1] > 32 * lanes) return "takes rows of up to 32 vectors";
  return cut_alike(args.x.as<char>(), args.y.as<char>()) ? "" : "wants x and y cut alike";
}

WARPATH_RUNG(Forward, launch, .supports = supports);

}  // namespace
}  // namespace warpath::rms_norm
