// The address is rounded down to 16 bytes before the vector load: right for whole allocations,
// shifted for slices.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "core/thread/vector.cuh"
#include "ops/elementwise/vector_add/vector_add.h"

namespace warpath::vector_add {
namespace {

template <class T>
__device__ T* round_down(T* p) {
  return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(p) / 16 * 16);
}

template <class T>
__global__ void assumes_alignment(const T* a, const T* b, T* c, std::int64_t n) {
  constexpr int E = lanes_of_16<T>;
  const std::int64_t i = (std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x) * E;
  if (i + E <= n) {
    const Vector<T, E> va = load<E>(round_down(a + i)), vb = load<E>(round_down(b + i));
    for (int k = 0; k < E; ++k) c[i + k] = from_float<T>(to_float(va.at[k]) + to_float(vb.at[k]));
  } else {
    for (std::int64_t k = i; k < n; ++k) c[k] = from_float<T>(to_float(a[k]) + to_float(b[k]));
  }
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t n = args.c.size();
  if (n == 0) return;
  dispatch_float(args.c.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    assumes_alignment<T><<<grid_x(n, 256 * lanes_of_16<T>), 256, 0, stream>>>(
        args.a.as<T>(), args.b.as<T>(), args.c.as<T>(), n);
  });
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::vector_add
