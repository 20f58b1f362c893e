// libcu++ as its documentation and its own tests write it: a barrier's token kept as a number, atomics that are volatile, the
// free functions of atomics, flags, waits for a time of cuda::std::chrono, and annotated pointers that are converted and
// copied from.
#include <cooperative_groups.h>
#include <cuda/annotated_ptr>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/semaphore>
#include <cuda/std/chrono>

#include <cstdint>
#include <cstdio>

#if !defined(__cccl_lib_local_barrier_arrive_tx) || \
    !defined(__cccl_lib_experimental_ctk12_cp_async_exposure)
#error "not the barriers that were asked for"
#endif
using Barrier = cuda::barrier<cuda::thread_scope_block>;
static_assert(sizeof(const CUtensorMap*) == sizeof(void*), "known without cuda.h");

__global__ void tokens(int* out) {
  __shared__ Barrier bar;
  __shared__ int slot[32];
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  slot[threadIdx.x] = int(threadIdx.x);
  std::uint64_t token;
  if (threadIdx.x == 0) {
    token = cuda::device::barrier_arrive_tx(bar, 1, 0);
  } else {
    token = bar.arrive();
  }
  bar.wait(std::move(token));
  out[threadIdx.x] = slot[31 - threadIdx.x];
}

template <class Atomic>
__host__ __device__ int every_function(Atomic& a) {
  using namespace cuda::std;
  int sum = 0;
  a = 5;
  sum += a;
  atomic_store(&a, 6);
  atomic_store_explicit(&a, 7, memory_order_release);
  sum += atomic_load(&a) + atomic_load_explicit(&a, memory_order_acquire);
  sum += atomic_exchange(&a, 8) + atomic_exchange_explicit(&a, 9, memory_order_relaxed);
  sum += atomic_fetch_add(&a, 3) + atomic_fetch_sub(&a, 1);
  sum += atomic_fetch_and(&a, 0xe) + atomic_fetch_or(&a, 0x10) +
         atomic_fetch_xor_explicit(&a, 3, memory_order_relaxed);
  int expected = 1;
  sum += atomic_compare_exchange_strong(&a, &expected, 100) ? 1000 : expected;
  sum += atomic_compare_exchange_strong_explicit(&a, &expected, 100, memory_order_relaxed,
                                                 memory_order_relaxed)
             ? 1000
             : 0;
  sum += a++;
  sum += --a;
  sum += a += 2;
  sum += a |= 1;
  return sum + (atomic_is_lock_free(&a) ? 1 : 0);
}
__host__ __device__ int flags() {
  cuda::std::atomic_flag f;
  const bool first = cuda::std::atomic_flag_test_and_set(&f), second = f.test_and_set();
  cuda::std::atomic_flag_clear(&f);
  return first + 2 * second + 4 * f.test();
}
__global__ void atomics(int* out) {
  cuda::std::atomic<int> plain{0};
  volatile cuda::std::atomic<int> watched{0};
  volatile cuda::atomic<int, cuda::thread_scope_block> scoped{0};
  scoped.fetch_max(70);
  out[4] = scoped.fetch_min(60) + scoped;
  scoped = 3;
  out[0] = every_function(plain), out[1] = every_function(watched), out[2] = scoped,
  out[3] = flags();
}
__global__ void times(int* out) {
  __shared__ Barrier bar;
  if (threadIdx.x == 0) init(&bar, 2);
  __syncthreads();
  cuda::binary_semaphore<cuda::thread_scope_thread> none(0);
  const bool taken = none.try_acquire_for(cuda::std::chrono::microseconds(1));
  cuda::std::uint64_t token = bar.arrive();
  const bool early = bar.try_wait_for(std::move(token), cuda::std::chrono::nanoseconds(100));
  bar.arrive_and_wait();
  const bool late = bar.try_wait_parity_for(0, cuda::std::chrono::milliseconds(1));
  *out = taken + 2 * early + 4 * late;
}
__global__ void annotated(const int* in, int* out) {
  __shared__ Barrier bar;
  __shared__ int tile[32];
  auto block = cooperative_groups::this_thread_block();
  if (block.thread_rank() == 0) init(&bar, blockDim.x);
  block.sync();
  cuda::annotated_ptr<const int, cuda::access_property::streaming> p(in);
  cuda::annotated_ptr<const volatile int, cuda::access_property::streaming> q(p);
  cuda::memcpy_async(block, tile, p, sizeof tile, bar);
  bar.arrive_and_wait();
  out[threadIdx.x] = tile[31 - threadIdx.x] + (q[0] == in[0] ? 0 : 1000);
}

int main() {
  int *in, *out;
  cudaMallocManaged(&in, 128);
  cudaMallocManaged(&out, 128);
  for (int i = 0; i < 32; ++i) in[i] = i * i;
  tokens<<<1, 32>>>(out);
  cudaDeviceSynchronize();
  printf("tokens %d %d %d\n", out[0], out[10], out[31]);
  atomics<<<1, 1>>>(out);
  cudaDeviceSynchronize();
  cuda::std::atomic<int> on_host{0};
  printf("atomics %d %d %d, host %d, flags %d %d, %d\n", out[0], out[1], out[2],
         every_function(on_host), out[3], flags(), out[4]);
  times<<<1, 1>>>(out);
  cudaDeviceSynchronize();
  printf("times %d\n", out[0]);
  annotated<<<1, 32>>>(in, out);
  cudaDeviceSynchronize();
  printf("annotated %d %d\n", out[0], out[31]);
  cudaFree(in);
  cudaFree(out);
}
