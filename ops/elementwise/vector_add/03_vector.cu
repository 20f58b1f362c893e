// Sixteen bytes per thread and access.
//
// What changed: a thread moves 4 floats or 8 halves at once, so a warp asks for 512 bytes in one
// instruction and the memory system has fewer, larger requests to serve. A thread adds one vector
// and exits: the many blocks on an SM keep loads in flight, and two or four vectors per thread were
// no faster on an H200. What is read is marked "evict last", which gained 1% there (load_kept);
// "evict first" (ld.cs) cost 5%. The width is the widest that all three pointers allow: an array
// that does not start at a 16-byte boundary still works, only slower. The last block adds the last
// n % width elements one by one.
// Limit: the memory itself.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "core/thread/vector.cuh"
#include "ops/elementwise/vector_add/vector_add.h"

namespace warpath::vector_add {
namespace {

template <class T>
constexpr int threads = 512 / sizeof(T);

template <class T, int N>
__global__ void __launch_bounds__(threads<T>)
    vectorised(const T* a, const T* b, T* c, std::int64_t n) {
  const std::int64_t vectors = n / N;
  const std::int64_t i = std::int64_t(blockIdx.x) * threads<T> + threadIdx.x;
  if (i < vectors) {
    const Vector<T, N> va = load_kept<N>(a + i * N), vb = load_kept<N>(b + i * N);
    Vector<T, N> vc;
#pragma unroll
    for (int k = 0; k < N; ++k) vc.at[k] = from_float<T>(to_float(va.at[k]) + to_float(vb.at[k]));
    store<N>(c + i * N, vc);
  }

  const std::int64_t tail = vectors * N + threadIdx.x;
  if (blockIdx.x == gridDim.x - 1 && tail < n)
    c[tail] = from_float<T>(to_float(a[tail]) + to_float(b[tail]));
}

void launch(const Args& args, cudaStream_t stream) {
  const std::int64_t n = args.c.size();
  if (n == 0) return;
  dispatch_float(args.c.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T *a = args.a.as<T>(), *b = args.b.as<T>();
    T* c = args.c.as<T>();
    constexpr int widest = lanes_of_16<T>;
    const auto run = [&](auto width) {
      constexpr int N = decltype(width)::value;
      vectorised<T, N><<<grid_x(n, threads<T> * N), threads<T>, 0, stream>>>(a, b, c, n);
    };
    if (all_aligned(16, a, b, c))
      run(std::integral_constant<int, widest>{});
    else if (all_aligned(4, a, b, c))
      run(std::integral_constant<int, widest / 4>{});
    else
      run(std::integral_constant<int, 1>{});
  });
  CUDA_CHECK(cudaGetLastError());
}

WARPATH_RUNG(Args, launch);

}  // namespace
}  // namespace warpath::vector_add
