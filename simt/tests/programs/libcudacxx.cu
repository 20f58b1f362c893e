// cuda::barrier, pipeline, atomic, latch, semaphore and memcpy_async in kernels.
#include <cooperative_groups.h>
#include <cuda/annotated_ptr>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>

#include <cstdio>

namespace cg = cooperative_groups;
using BlockBarrier = cuda::barrier<cuda::thread_scope_block>;

// Neighbours exchange values over a barrier, many phases.
__global__ void rotate(int* out, int rounds) {
  __shared__ BlockBarrier bar;
  __shared__ int values[2][64];
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  int mine = threadIdx.x;
  for (int i = 0; i < rounds; ++i) {
    values[i % 2][threadIdx.x] = mine;
    BlockBarrier::arrival_token token = bar.arrive();
    const int neighbour = (threadIdx.x + 1) % blockDim.x;
    bar.wait(std::move(token));
    mine = values[i % 2][neighbour];
  }
  out[threadIdx.x] = mine;
}

// One warp produces, another consumes, over two barriers; nobody else takes part.
__global__ void hand_over(const int* in, int* out, int n) {
  __shared__ BlockBarrier full, empty;
  __shared__ int slot[32];
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) {
    init(&full, 64);
    init(&empty, 64);
  }
  block.sync();
  const bool producer = threadIdx.x < 32;
  const int lane = threadIdx.x % 32;
  int sum = 0;
  for (int first = 0; first < n; first += 32) {
    if (producer) {
      if (first > 0) empty.arrive_and_wait();
      slot[lane] = in[first + lane];
      (void)full.arrive();
    } else {
      full.arrive_and_wait();
      sum += slot[lane];
      if (first + 32 < n) (void)empty.arrive();
    }
  }
  if (!producer) out[lane] = sum;
}

// Two stages of copies, the classic loop.
template <int Stages>
__global__ void staged(const int* in, int* out, int batches) {
  auto block = cg::this_thread_block();
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, Stages> state;
  __shared__ int buffer[Stages][64];
  auto pipe = cuda::make_pipeline(block, &state);
  int sum = 0;
  for (int compute = 0, fetch = 0; compute < batches; ++compute) {
    for (; fetch < batches && fetch < compute + Stages; ++fetch) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, buffer[fetch % Stages], in + fetch * 64,
                         cuda::aligned_size_t<16>(sizeof(int) * 64), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += buffer[compute % Stages][63 - threadIdx.x];
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}

// A thread's own pipeline, and copies bound to a barrier.
__global__ void copies(const int* in, int* out) {
  __shared__ int a[64], b[64];
  __shared__ BlockBarrier bar;
  auto pipe = cuda::make_pipeline();
  pipe.producer_acquire();
  cuda::memcpy_async(&a[threadIdx.x], &in[threadIdx.x], sizeof(int), pipe);
  pipe.producer_commit();
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  cuda::memcpy_async(cg::this_thread_block(), b, in + 64, sizeof(b), bar);
  bar.arrive_and_wait();
  pipe.consumer_wait();
  out[threadIdx.x] = a[threadIdx.x] * 1000 + b[63 - threadIdx.x];
  pipe.consumer_release();
}

__device__ cuda::atomic<int, cuda::thread_scope_device> ticket{0};
__device__ int plain_max;

__global__ void atomics(int* data, unsigned long long* big, float* total) {
  __shared__ cuda::atomic<unsigned, cuda::thread_scope_block> count;
  __shared__ cuda::atomic_ref<int, cuda::thread_scope_block>* unused;
  (void)unused;
  if (threadIdx.x == 0) count.store(0, cuda::memory_order_relaxed);
  __syncthreads();
  count.fetch_add(2, cuda::memory_order_relaxed);
  cuda::atomic_ref<float, cuda::thread_scope_device>(*total).fetch_add(0.5f);
  cuda::atomic_ref<int>(plain_max).fetch_max(static_cast<int>(threadIdx.x * 37 % 64));
  cuda::std::atomic_ref<unsigned long long> ref(*big);
  ref ^= 1ull << threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) data[blockIdx.x] = count.load() + 100 * ticket++;
}

// The data is published by a release and read after an acquire.
__global__ void publish(int* data, cuda::atomic<int, cuda::thread_scope_device>* flag) {
  if (blockIdx.x == 0) {
    if (threadIdx.x == 0) {
      data[0] = 42;
      flag->store(1, cuda::std::memory_order_release);
    }
  } else if (threadIdx.x == 0) {
    while (flag->load(cuda::memory_order_acquire) == 0) {
    }
    data[1] = data[0] + 1;
  }
}

__global__ void latch_and_semaphore(int* out) {
  __shared__ cuda::latch<cuda::thread_scope_block> latch;
  __shared__ cuda::counting_semaphore<cuda::thread_scope_block, 4> seats;
  __shared__ int inside, most;
  if (threadIdx.x == 0) {
    init(&latch, 32);
    init(&seats, 4);
    inside = most = 0;
  }
  __syncthreads();
  seats.acquire();
  atomicMax(&most, atomicAdd(&inside, 1) + 1);
  __nanosleep(10);
  atomicSub(&inside, 1);
  seats.release();
  latch.count_down();
  latch.wait();
  if (threadIdx.x == 0) *out = most <= 4 && inside == 0;
}

struct Count {
  int* phases;
  __device__ void operator()() const { ++*phases; }
};
__global__ void with_completion(int* phases) {
  using Barrier = cuda::barrier<cuda::thread_scope_block, Count>;
  __shared__ Barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x, Count{phases});
  __syncthreads();
  if (threadIdx.x < 10) {
    bar.arrive_and_drop();
    return;
  }
  bar.arrive_and_wait();
  bar.arrive_and_wait();
}

int main() {
  int *in, *out;
  unsigned long long* big;
  float* total;
  cuda::atomic<int, cuda::thread_scope_device>* flag;
  cudaMallocManaged(&in, 1024 * sizeof(int));
  cudaMallocManaged(&out, 64 * sizeof(int));
  cudaMallocManaged(&big, sizeof(*big));
  cudaMallocManaged(&total, sizeof(*total));
  cudaMallocManaged(&flag, sizeof(*flag));
  for (int i = 0; i < 1024; ++i) in[i] = i;
  rotate<<<1, 64>>>(out, 10);
  cudaDeviceSynchronize();
  std::printf("rotate %d %d\n", out[0], out[60]);
  hand_over<<<1, 64>>>(in, out, 128);
  cudaDeviceSynchronize();
  std::printf("hand over %d %d\n", out[0], out[31]);
  staged<2><<<1, 64>>>(in, out, 16);
  cudaDeviceSynchronize();
  std::printf("staged %d %d\n", out[0], out[63]);
  copies<<<1, 64>>>(in, out);
  cudaDeviceSynchronize();
  std::printf("copies %d %d\n", out[0], out[63]);
  *big = 0;
  *total = 0;
  atomics<<<4, 64>>>(out, big, total);
  cudaDeviceSynchronize();
  int biggest, sum = 0;
  cudaMemcpyFromSymbol(&biggest, plain_max, sizeof(int));
  for (int i = 0; i < 4; ++i) sum += out[i];
  std::printf("atomics %d %llx %g %d\n", sum, *big, *total, biggest);
  new (flag) cuda::atomic<int, cuda::thread_scope_device>(0);
  publish<<<2, 32>>>(out, flag);
  cudaDeviceSynchronize();
  std::printf("publish %d\n", out[1]);
  latch_and_semaphore<<<1, 32>>>(out);
  cudaDeviceSynchronize();
  std::printf("latch and semaphore %d\n", *out);
  *out = 0;
  with_completion<<<1, 64>>>(out);
  cudaDeviceSynchronize();
  cuda::annotated_ptr<int, cuda::access_property::persisting> pointer(out);
  std::printf("completion %d %s\n", pointer[0], cudaGetErrorString(cudaGetLastError()));
  std::printf("size %zu\n", sizeof(BlockBarrier));
  return 0;
}
