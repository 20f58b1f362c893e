// Constant and local memory, __device__ variables, vector atomics and ldmatrix. Each line `counts:` says what a run must have (kernels.cu explains
// the others):
//   ldc       constant memory: requests:addresses              ldl, stl  local memory: requests:sectors
// Recorded by ncu: recorded_spaces.json.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#if __has_include(<simt/counts.h>)
#include <simt/counts.h>
#endif

namespace {

constexpr int threads = 256, blocks = 64;  // 512 warps

__constant__ float table[64];
__device__ float variable[threads * blocks];

struct Weights {
  float of[16];
  const float* x;
};

__device__ int index_in_grid() {
  return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}

// All lanes want one address.
// counts: ldc=512:512 st=512:2048
__global__ void constant_uniform(float* y) {
  y[index_in_grid()] = table[blockIdx.x];
}

// The same, by an index that only the run knows: it is no uniform register's.
// counts: ldc=512:512 ld=512:512 st=512:2048
__global__ void constant_loaded(const float* x, float* y) {
  y[index_in_grid()] = table[int(x[0])];
}

// Each of 32 lanes wants its own.
// counts: ldc=512:16384 st=512:2048
__global__ void constant_lanes(float* y) {
  y[index_in_grid()] = table[threadIdx.x % 32];
}

// Four neighbours want the same: eight addresses.
// counts: ldc=512:4096 st=512:2048
__global__ void constant_fours(float* y) {
  y[index_in_grid()] = table[threadIdx.x / 4];
}

// A parameter with __grid_constant__ is read where it is, in constant memory. The pointer beside the array is none of it.
// counts: ldc=512:8192 ld=512:2048 st=512:2048
__global__ void parameter_indexed(const __grid_constant__ Weights weights, float* y) {
  const int i = index_in_grid();
  y[i] = weights.of[i % 16] * weights.x[i];
}

// Without it nvcc copies the parameter into local memory before it indexes it.
// counts: ldl=512:16384 ld=512:2048 st=512:2048
__global__ void parameter_copied(Weights weights, float* y) {
  const int i = index_in_grid();
  y[i] = weights.of[i % 16] * weights.x[i];
}

// A register cannot be indexed. Local memory lays the same word of all lanes side by side: 4 sectors where all lanes write
// the same one, and 32 where each of eight neighbours reads another.
// counts: stl=8192:32768 ldl=8192:262144 st=512:2048
__global__ void local_indexed(float* y, int n) {
  float kept[16];
  const int i = index_in_grid();
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k) kept[k] = float(i + k);
#pragma unroll 1
  for (int k = 0; k < n; ++k) sum += kept[(i * 5 + k) % 16];
  y[i] = sum;
}

// Few elements, indexed once: ptxas selects among registers, which no run can know.
// counts: ld=8192:8192 stl=8192:32768 ldl=512:16384 st=512:2048
__global__ void local_once(const float* x, float* y) {
  float kept[16];
  for (int k = 0; k < 16; ++k) kept[k] = x[k];
  const int i = index_in_grid();
  y[i] = kept[i * 5 % 16];
}

// Indexed by a loop's counter alone: nvcc unrolls it, and it is in registers.
// counts: ld=2048:8192 st=2048:8192
__global__ void local_unrolled(const float* x, float* y) {
  float kept[4];
  const int i = index_in_grid();
  for (int k = 0; k < 4; ++k) kept[k] = x[k * threads * blocks + i];
  for (int k = 0; k < 4; ++k) y[k * threads * blocks + i] = kept[3 - k];
}

// The index is a variable, but the same in all lanes at each step: it may be in registers, and is not counted.
// counts: ld=2048:8192 st=512:2048
__global__ void local_same(const float* x, float* y, int n) {
  float kept[4];
  const int i = index_in_grid();
  for (int k = 0; k < 4; ++k) kept[k] = x[k * threads * blocks + i];
  y[i] = kept[n];
}

// A __device__ variable is global memory; the second read of a sector is one that is read again.
// counts: ld=1024:4096 st=512:2048
__global__ void variable_twice(float* y) {
  const int i = index_in_grid();
  y[i] = variable[i] + variable[threads * blocks - 1 - i];
}

// sm_90: a vector is one reduction of 16 bytes per lane.
// counts: red=512:8192
__global__ void atomic_float4(float4* y) {
  atomicAdd(&y[index_in_grid()], make_float4(1, 2, 3, 4));
}

// ldmatrix reads four tiles of 8 rows of 16 bytes: one wavefront each where the rows of a tile are in different banks.
__device__ unsigned four_tiles(const void* row) {
  unsigned a, b, c, d;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
               : "r"(unsigned(__cvta_generic_to_shared(row)))
               : "memory");
  return a ^ b ^ c ^ d;
}

template <int words>
__device__ void load_tiles(unsigned* y) {
  __shared__ __align__(16) unsigned tile[threads / 32][32][words];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  tile[warp][0][lane] = lane;
  __syncwarp();
  y[index_in_grid()] = four_tiles(tile[warp][lane]);
}

// Rows of 144 bytes: 36 words apart, so eight rows meet all 32 banks once.
// counts: sts=512:512 lds=512:2048 st=512:2048
__global__ void matrix_padded(unsigned* y) {
  load_tiles<36>(y);
}

// Rows of 64 bytes: every second row of a tile begins in the same bank, so four of them wait for each other.
// counts: sts=512:512 lds=512:8192 st=512:2048
__global__ void matrix_conflicts(unsigned* y) {
  load_tiles<16>(y);
}

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

}  // namespace

// `--take`: asks for the counts itself, and prints them.
int main(int argc, char** argv) {
  float *x = nullptr, *y = nullptr;
  check(cudaMalloc(&x, sizeof(float) * 4 * threads * blocks));
  check(cudaMalloc(&y, sizeof(float) * 4 * threads * blocks));
  check(cudaMemset(x, 0, sizeof(float) * 4 * threads * blocks));
  constant_uniform<<<blocks, threads>>>(y);
  constant_loaded<<<blocks, threads>>>(x, y);
  constant_lanes<<<blocks, threads>>>(y);
  constant_fours<<<blocks, threads>>>(y);
  parameter_indexed<<<blocks, threads>>>({{}, x}, y);
  parameter_copied<<<blocks, threads>>>({{}, x}, y);
  local_indexed<<<blocks, threads>>>(y, 16);
  local_once<<<blocks, threads>>>(x, y);
  local_unrolled<<<blocks, threads>>>(x, y);
  local_same<<<blocks, threads>>>(x, y, 2);
  variable_twice<<<blocks, threads>>>(y);
  atomic_float4<<<blocks, threads>>>(reinterpret_cast<float4*>(y));
  matrix_padded<<<blocks, threads>>>(reinterpret_cast<unsigned*>(y));
  matrix_conflicts<<<blocks, threads>>>(reinterpret_cast<unsigned*>(y));
  check(cudaDeviceSynchronize());
  check(cudaFree(x));
  check(cudaFree(y));
#if __has_include(<simt/counts.h>)
  if (argc > 1 && std::strcmp(argv[1], "--take") == 0)
    std::fputs(simt::take_counts().c_str(), stdout);
#endif
}
