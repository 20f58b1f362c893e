// Sixteen bytes at a time from the row's first element on: the last elements of a row that is no multiple of a vector are
// never read, and rows that start elsewhere than at a 16-byte boundary are refused by the hardware.
#include "core/thread/vector.cuh"
#include "ops/reduce/dot/pairs.cuh"

namespace warpath::dot {
namespace {

template <class T>
__global__ void whole_vectors_only(const T* x, const T* y, T* z, std::int64_t cols) {
  constexpr int E = lanes_of_16<T>;
  __shared__ float slots[8];
  float mine = 0.0f;
  for (std::int64_t v = threadIdx.x; v < cols / E; v += 256) {
    const auto a = load<E>(x + blockIdx.x * cols + v * E),
               b = load<E>(y + blockIdx.x * cols + v * E);
    for (int e = 0; e < E; ++e) mine += to_float(a.at[e]) * to_float(b.at[e]);
  }
  const float sum = block_reduce<256>(mine, Sum{}, slots);
  if (threadIdx.x == 0) z[blockIdx.x] = from_float<T>(sum);
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.x.shape[0] == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    whole_vectors_only<<<grid_x(args.x.shape[0], 1), 256, 0, stream>>>(
        args.x.as<const T>(), args.y.as<const T>(), args.z.as<T>(), args.x.shape[1]);
  });
}

WARPATH_RUNG(Args, launch, .supports = in_rows);

}  // namespace
}  // namespace warpath::dot
