// Asynchronous copies land when they are waited for, and not before.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>

#include <cstdio>

namespace cg = cooperative_groups;

// Two stages: while one is added up, the next is on its way.
__global__ void pipelined(const int4* in, int* out, int rounds) {
  __shared__ int4 stage[2][64];
  const int t = threadIdx.x;
  const auto start = [&](int round) {
    if (round < rounds) __pipeline_memcpy_async(&stage[round % 2][t], &in[round * 64 + t], 16);
    __pipeline_commit();
  };
  int sum = 0;
  start(0);
  for (int round = 0; round < rounds; ++round) {
    start(round + 1);
    __pipeline_wait_prior(1);
    __syncthreads();
    const int4 v = stage[round % 2][63 - t];
    sum += v.x + v.y + v.z + v.w;
    __syncthreads();
  }
  atomicAdd(out, sum);
}

__global__ void missing_wait(const int* in, unsigned* seen) {
  __shared__ int s[8];
  for (int i = 0; i < 4; ++i) {
    __pipeline_memcpy_async(&s[i], &in[i], 4);
    __pipeline_commit();
  }
  __pipeline_memcpy_async(&s[4], &in[4], 4);
  seen[0] = s[0];  // nothing was waited for
  __pipeline_wait_prior(3);
  seen[1] = s[0], seen[2] = s[1];  // one group has landed
  __pipeline_wait_prior(0);
  seen[3] = s[3], seen[4] = s[4];  // all groups; the last copy is in none
  __pipeline_commit();
  __pipeline_wait_prior(0);
  seen[5] = s[4];
}

// The source is read as late as the destination is written.
__global__ void late_source(int* in, int* out) {
  __shared__ int s[4];
  in[0] = 1;
  __pipeline_memcpy_async(s, in, 8, 4);
  __pipeline_commit();
  in[0] = 2;
  __pipeline_wait_prior(0);
  out[0] = s[0], out[1] = s[1], out[2] = s[2];
}

// A thread that leaves without waiting takes its copies along, even for the next block here.
__global__ void dropped(const int* in, int* landed) {
  __shared__ int s[32];
  __pipeline_wait_prior(0);
  __syncthreads();
  if (s[threadIdx.x] != -1) atomicAdd(landed, 1);
  __syncthreads();
  __pipeline_memcpy_async(&s[threadIdx.x], &in[threadIdx.x], 4);
  __pipeline_commit();
}

__global__ void by_ptx(const int* in, int* out) {
  __shared__ int4 s[32];
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&s[threadIdx.x]));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(in + 4 * threadIdx.x));
  asm volatile("cp.async.commit_group;\n" ::);
  const int before = s[threadIdx.x].w;
  asm volatile("cp.async.wait_group %0;" ::"n"(0));
  out[threadIdx.x] = before == -1 ? s[threadIdx.x].w : -1;
}

__global__ void by_group(const char* in, int* out) {
  __shared__ char s[301];
  const cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, s, in, 300);
  const int old = threadIdx.x == 0 ? s[0] : -1;  // others may have waited already
  cg::wait(block);
  int sum = 0;
  for (int i = 0; i < 300; ++i) sum += s[i] == char(i);
  out[threadIdx.x] = old == -1 && s[300] == -1 ? sum : -1;
  block.sync();
  const auto warp = cg::tiled_partition<32>(block);
  cg::memcpy_async(warp, s, 10, in + 7, 20);
  cg::memcpy_async(warp, s + 10, 20, in + 1, 5);
  cg::wait_prior<1>(warp);
  out[32 + threadIdx.x] = s[9] == 16 && s[10] == 10;
  warp.sync();
  cg::wait(warp);
  out[64 + threadIdx.x] = s[10] == 1 && s[14] == 5 && s[15] == 15;
}

__global__ void bad_size(const int* in) {
  __shared__ int4 s;
  __pipeline_memcpy_async(&s, in, 12);
}
__global__ void bad_source(const int* in) {
  __shared__ int4 s;
  __pipeline_memcpy_async(&s, in + 1, 16);
}
__global__ void bad_place(int* in) {
  __pipeline_memcpy_async(in + 4, in, 4);
}

template <class Kernel>
void fails(const char* what, Kernel kernel, int* in) {
  kernel<<<1, 1>>>(in);
  printf("%s: %s\n", what, cudaGetErrorName(cudaDeviceSynchronize()));
  cudaDeviceReset();
}

int main() {
  setenv("SIMT_SHARED_FILL", "255", 1);  // what nobody wrote is to show
  int *in, *out;
  cudaMallocManaged(&in, 1 << 16);
  cudaMallocManaged(&out, 1 << 12);
  long long wanted = 0;
  for (int i = 0; i < 10 * 64 * 4; ++i) wanted += in[i] = i % 1000;
  *out = 0;
  pipelined<<<1, 64>>>(reinterpret_cast<int4*>(in), out, 10);
  printf("pipelined: %s, %d\n", cudaGetErrorName(cudaDeviceSynchronize()), *out == wanted);

  unsigned* seen = reinterpret_cast<unsigned*>(out);
  for (int i = 0; i < 5; ++i) in[i] = 10 + i;
  missing_wait<<<1, 1>>>(in, seen);
  printf("missing wait: %s,", cudaGetErrorName(cudaDeviceSynchronize()));
  for (int i = 0; i < 6; ++i) printf(" %x", seen[i]);

  late_source<<<1, 1>>>(in, out);
  printf("\nlate source: %s,", cudaGetErrorName(cudaDeviceSynchronize()));
  printf(" %d %d %d\n", out[0], out[1], out[2]);

  *out = 0;
  dropped<<<100, 32>>>(in, out);
  printf("dropped: %s, %d landed\n", cudaGetErrorName(cudaDeviceSynchronize()), *out);

  for (int i = 0; i < 128; ++i) in[i] = i;
  by_ptx<<<1, 32>>>(in, out);
  printf("ptx: %s, %d %d\n", cudaGetErrorName(cudaDeviceSynchronize()), out[0], out[31]);

  char* bytes = reinterpret_cast<char*>(in);
  for (int i = 0; i < 320; ++i) bytes[i] = char(i);
  by_group<<<1, 32>>>(bytes, out);
  printf("group: %s, %d %d, %d %d\n", cudaGetErrorName(cudaDeviceSynchronize()), out[0], out[31],
         out[63], out[95]);

  alignas(16) static int host[8] = {};
  fails("size", bad_size, host);
  fails("source", bad_source, host);
  fails("place", bad_place, host);
}
