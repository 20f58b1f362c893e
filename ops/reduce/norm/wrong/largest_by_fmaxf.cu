// fmaxf gives the other operand where one is NaN: a row with a NaN gets the norm of the rest.
#include "ops/reduce/norm/kinds.cuh"

namespace warpath::norm {
namespace {

struct Fmax {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

template <class T, class K>
__global__ void largest_by_fmaxf(const T* x, T* y, std::int64_t cols, K kind) {
  using Op = std::conditional_t<std::is_same_v<K, Largest>, Fmax, Sum>;
  __shared__ float slots[8];
  float mine = 0.0f;
  for (std::int64_t c = threadIdx.x; c < cols; c += 256)
    mine = Op{}(mine, kind(to_float(x[blockIdx.x * cols + c])));
  const float total = block_reduce<256>(mine, Op{}, slots);
  if (threadIdx.x == 0) y[blockIdx.x] = from_float<T>(kind.finish(total));
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.x.shape[0] == 0) return;
  dispatch_norm(args, [&](auto tag, auto kind) {
    using T = typename decltype(tag)::type;
    largest_by_fmaxf<<<grid_x(args.x.shape[0], 1), 256, 0, stream>>>(
        args.x.as<const T>(), args.y.as<T>(), args.x.shape[1], kind);
  });
}

WARPATH_RUNG(Args, launch, .supports = in_rows);

}  // namespace
}  // namespace warpath::norm
