// The value by one atomic, the place by a plain store of whoever thought it had won: between the two another thread may
// win, and its place is overwritten by ours.
#include "ops/reduce/argmax/best.cuh"

namespace warpath::argmax {
namespace {

// Unsigned integers in the order of the values; NaN above all.
__device__ unsigned ordered(float x) {
  if (x != x) return 0xffffffffu;
  const unsigned bits = __float_as_uint(x + 0.0f);
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}
__device__ unsigned ordered(int x) {
  return unsigned(x) ^ 0x80000000u;
}

template <class T>
__global__ void two_atomics(View<T> in, std::int64_t* y, std::int64_t cols) {
  __shared__ unsigned largest;
  if (threadIdx.x == 0) largest = 0;
  __syncthreads();
  for (std::int64_t i = threadIdx.x; i < cols; i += 256) {
    const unsigned key = ordered(in.value(blockIdx.x, i));
    if (atomicMax(&largest, key) < key) y[blockIdx.x] = i;
  }
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.x.shape[0] == 0) return;
  dispatch_type(args, [&](auto tag) {
    using T = typename decltype(tag)::type;
    two_atomics<T><<<grid_x(args.x.shape[0], 1), 256, 0, stream>>>(
        View<T>::of(args), args.y.as<std::int64_t>(), args.x.shape[1]);
  });
}

WARPATH_RUNG(Args, launch, .race = true);

}  // namespace
}  // namespace warpath::argmax
