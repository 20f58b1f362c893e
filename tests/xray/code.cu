// Where g++'s code for a source and nvcc's are least alike: vectors that are stored, branches, __shared__ in a function. As in
// kernels.cu, `counts:` says what a run has. A warp's lanes part at the lines marked "parts: 50%", so often of those
// times that it comes there, and at no other. The line marked "most arithmetic" has most of its kernel's.
#include <cuda_runtime.h>

#include <cstdio>

namespace {

constexpr int threads = 256, blocks = 64;  // 512 warps

__device__ int index_in_grid() {
  return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}

// counts: st=512:8192
__global__ void made_of_constants(float4* y) {
  y[index_in_grid()] = make_float4(0, 0, 0, 1);
}

// counts: st=512:8192
__global__ void named_list(float4* y) {
  y[index_in_grid()] = float4{0, 0, 0, 1};
}

// counts: st=512:8192
__global__ void plain_list(float4* y) {
  y[index_in_grid()] = {0, 0, 0, 1};
}

// counts: st=512:8192
__global__ void cleared(float4* y) {
  reinterpret_cast<uint4*>(y)[index_in_grid()] = uint4{};
}

// counts: ld=512:4096 st=512:4096
__global__ void swapped(const float2* x, float2* y) {
  const float2 v = x[index_in_grid()];
  y[index_in_grid()] = {v.y, v.x};
}

// counts: sts=512:2048 lds=512:2048 st=512:8192
__global__ void shared_constants(float4* y) {
  __shared__ float4 tile[threads];
  tile[threadIdx.x] = make_float4(0, 1, 2, 3);
  __syncthreads();
  y[index_in_grid()] = tile[threadIdx.x];
}

// Twelve bytes, aligned to four: three accesses of all lanes.
// counts: ld=1536:18432 st=1536:18432
__global__ void triples(const float3* x, float3* y) {
  y[index_in_grid()] = x[index_in_grid()];
}

struct Particle {
  float x, y, z, mass;
};
struct alignas(16) Aligned {
  float x, y, z, mass;
};

// An array of structs that are aligned to four bytes: each member is an access of its own, 16 bytes apart.
// counts: ld=2048:32768 st=2048:32768
__global__ void particles(const Particle* x, Particle* y) {
  y[index_in_grid()] = x[index_in_grid()];
}

struct Pair {
  float low, high;
};
struct Entry {
  float before;
  Pair pair;
  float behind;
};

// A pair that begins four bytes behind a multiple of eight: its members, in device and in shared memory.
// counts: ld=1024:16384 st=1024:8192 sts=2048:8192 lds=1024:4096
__global__ void pairs(const Entry* x, Pair* y) {
  __shared__ Entry entries[threads];
  const Pair mine = x[index_in_grid()].pair;
  entries[threadIdx.x] = {0, mine, 0};
  __syncthreads();
  y[index_in_grid()] = entries[threadIdx.x].pair;
}

// counts: ld=512:8192 st=512:8192
__global__ void aligned_particles(const Aligned* x, Aligned* y) {
  y[index_in_grid()] = x[index_in_grid()];
}

// counts: st=512:8192
__global__ void list_of_particle(Aligned* y) {
  y[index_in_grid()] = Aligned{0, 1, 2, 3};
}

// counts: ld=512:2048 st=1024:4096
__global__ void two_sides_later(const float* x, float* y) {
  const int i = index_in_grid();
  float v = x[i];
  v = v * 3 + 1;

  if (i % 2 == 0)  // parts: 100%
    y[i] = v;
  else
    y[i] = -v;
}

// Lane l goes around l % 4 times. After the barrier the first lane goes on alone.
// counts: ld=1536:6144 st=512:512
__global__ void after_a_barrier(const float* x, float* y) {
  const int i = index_in_grid();
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < i % 4; ++k)  // parts: 75%
    sum += x[i + k * 1024];
  __syncthreads();

  if (threadIdx.x % 32 == 0)  // parts: 100%
    y[i] = sum;
}

// counts: ld=512:2048 st=512:2048
__global__ void early_return(const float* x, float* y) {
  const int i = index_in_grid();
  if (i % 4 == 3)  // parts: 100%
    return;
  y[i] = x[i];
}

// A function's __shared__ is asked for each time that it is called, which is no waiting for another block.
__device__ float handed_on(float v) {
  __shared__ float tile[threads];
  __syncthreads();
  tile[threadIdx.x] = v;
  __syncthreads();
  return tile[threadIdx.x ^ 1];
}

// counts: ld=512:2048 sts=1024:1024 lds=1024:1024 st=512:2048
__global__ void called_twice(const float* x, float* y) {
  y[index_in_grid()] = handed_on(handed_on(x[index_in_grid()]));
}

// counts: red=512:2048
__global__ void atomic_alone(float* y) {
  atomicAdd(&y[index_in_grid()], 1.0f);
}

// counts: ld=512:2048 st=512:2048
__global__ void one_line_computes(const float* x, float* y) {
  const int i = index_in_grid();
  const float v = x[i];
  const float w = v * 3;
  const float t = tanhf(w);  // most arithmetic
  y[i] = t + 1;
}

}  // namespace

int main() {
  float *x = nullptr, *y = nullptr;
  constexpr std::size_t bytes = sizeof(float) * 4 * threads * blocks;
  if (cudaMalloc(&x, bytes) != cudaSuccess || cudaMalloc(&y, bytes) != cudaSuccess) return 1;
  if (cudaMemset(x, 0, bytes) != cudaSuccess || cudaMemset(y, 0, bytes) != cudaSuccess) return 1;
  auto *x2 = reinterpret_cast<float2*>(x), *y2 = reinterpret_cast<float2*>(y);
  auto *x3 = reinterpret_cast<float3*>(x), *y3 = reinterpret_cast<float3*>(y);
  auto* y4 = reinterpret_cast<float4*>(y);
  made_of_constants<<<blocks, threads>>>(y4);
  named_list<<<blocks, threads>>>(y4);
  plain_list<<<blocks, threads>>>(y4);
  cleared<<<blocks, threads>>>(y4);
  swapped<<<blocks, threads>>>(x2, y2);
  shared_constants<<<blocks, threads>>>(y4);
  triples<<<blocks, threads>>>(x3, y3);
  particles<<<blocks, threads>>>(reinterpret_cast<Particle*>(x), reinterpret_cast<Particle*>(y));
  pairs<<<blocks, threads>>>(reinterpret_cast<Entry*>(x), reinterpret_cast<Pair*>(y));
  aligned_particles<<<blocks, threads>>>(reinterpret_cast<Aligned*>(x),
                                         reinterpret_cast<Aligned*>(y));
  list_of_particle<<<blocks, threads>>>(reinterpret_cast<Aligned*>(y));
  two_sides_later<<<blocks, threads>>>(x, y);
  after_a_barrier<<<blocks, threads>>>(x, y);
  early_return<<<blocks, threads>>>(x, y);
  called_twice<<<blocks, threads>>>(x, y);
  atomic_alone<<<blocks, threads>>>(y);
  one_line_computes<<<blocks, threads>>>(x, y);
  one_line_computes<<<2 * blocks, threads / 2>>>(x, y);
  const cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
