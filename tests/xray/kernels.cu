// Small kernels whose counts theory gives. Each line `counts:` says what a run must have, summed over the grid:
//   ld, st    global loads, stores: requests:sectors          red     global atomics without a result, likewise
//   lds, sts  shared loads, stores: requests:wavefronts       atoms   shared atomics, likewise
// Every kernel is launched once, in the order of the file. record_ncu.py runs this program under ncu on a GPU,
// xray_test.py under `warpath cc --xray`.
#include <cuda_pipeline.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "tests/xray/launches.h"

namespace {

constexpr int threads = 256, blocks = 64, warps = threads / 32 * blocks;  // 512 warps
constexpr int size = 1 << 20;                                             // elements of x and y

__device__ int index_in_grid() {
  return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}

// --- global memory ---------------------------------------------------------------------------------------------------

// counts: ld=512:2048 st=512:2048
__global__ void copy_f32(const float* x, float* y) {
  const int i = index_in_grid();
  y[i] = x[i];
}

// A warp's 128 bytes begin 4 bytes after a sector does: they lie in five.
// counts: ld=512:2560 st=512:2048
__global__ void offset_one(const float* x, float* y) {
  const int i = index_in_grid();
  y[i] = x[i + 1];
}

// counts: ld=512:2048 st=512:2048
__global__ void offset_sector(const float* x, float* y) {
  const int i = index_in_grid();
  y[i] = x[i + 8];
}

// counts: ld=512:4096 st=512:2048
__global__ void stride_2(const float* x, float* y) {
  const int i = index_in_grid();
  y[i] = x[2 * i];
}

// counts: ld=512:16384 st=512:2048
__global__ void stride_8(const float* x, float* y) {
  const int i = index_in_grid();
  y[i] = x[8 * i];
}

// counts: ld=512:16384 st=512:2048
__global__ void stride_32(const float* x, float* y) {
  const int i = index_in_grid();
  y[i] = x[32 * i];
}

// counts: ld=512:2048 st=512:16384
__global__ void store_stride_8(const float* x, float* y) {
  const int i = index_in_grid();
  y[8 * i] = x[i];
}

// counts: ld=512:2048 st=512:2048
__global__ void reversed(const float* x, float* y) {
  const int i = index_in_grid();
  y[i] = x[i ^ 31];
}

// All lanes of a warp read one address.
// counts: ld=512:512 st=512:2048
__global__ void broadcast(const float* x, float* y) {
  const int i = index_in_grid();
  y[i] = x[i / 32];
}

// Four lanes share each address.
// counts: ld=512:512 st=512:2048
__global__ void fours(const float* x, float* y) {
  const int i = index_in_grid();
  y[i] = x[i / 4];
}

// The table has the same permutation for each warp: every lane its own sector.
// counts: ld=1024:18432 st=512:2048
__global__ void gather(const float* x, const int* table, float* y) {
  const int i = index_in_grid();
  y[i] = x[table[i]];
}

// counts: ld=512:1024 st=512:1024
__global__ void copy_16_bits(const unsigned short* x, unsigned short* y) {
  const int i = index_in_grid();
  y[i] = static_cast<unsigned short>(x[i] + 1);
}

// counts: ld=512:512 st=512:512
__global__ void copy_bytes(const unsigned char* x, unsigned char* y) {
  const int i = index_in_grid();
  y[i] = static_cast<unsigned char>(x[i] + 1);
}

// counts: ld=512:4096 st=512:4096
__global__ void copy_float2(const float2* x, float2* y) {
  const int i = index_in_grid();
  y[i] = x[i];
}

// counts: ld=512:8192 st=512:8192
__global__ void copy_float4(const float4* x, float4* y) {
  const int i = index_in_grid();
  y[i] = x[i];
}

// 16 bytes from each second half of a sector: 512 bytes in 17 sectors.
// counts: ld=512:8704 st=512:8192
__global__ void float4_offset(const float4* x, float4* y) {
  const int i = index_in_grid();
  y[i] = x[i + 1];
}

// counts: ld=512:16384 st=512:8192
__global__ void float4_stride_2(const float4* x, float4* y) {
  const int i = index_in_grid();
  y[i] = x[2 * i];
}

// counts: ld=512:512 st=512:8192
__global__ void float4_broadcast(const float4* x, float4* y) {
  const int i = index_in_grid();
  y[i] = x[i / 32];
}

// Three loads of 4 bytes, 12 bytes apart: each touches all twelve sectors of the warp's 384 bytes.
// counts: ld=1536:18432 st=512:2048
__global__ void array_of_structs(const float3* x, float* y) {
  const int i = index_in_grid();
  const float3 v = x[i];
  y[i] = v.x + 2 * v.y + 3 * v.z;
}

// A matrix of 512 columns, one column per lane and step: 32 rows are 32 sectors.
// counts: ld=1024:32768 st=512:2048
__global__ void down_columns(const float* x, float* y) {
  const int i = index_in_grid(), lane = i % 32, warp = i / 32;
  const float* const row = x + lane * 512;
  y[i] = row[warp % 256] + row[warp % 256 + 256];
}

// --- not all lanes ---------------------------------------------------------------------------------------------------

// The last warp with work has 8 lanes: one sector.
// counts: ld=314:1253 st=314:1253
__global__ void tail(const float* x, float* y, int n) {
  const int i = index_in_grid();
  if (i < n) y[i] = x[i];
}

// Even lanes alone: all four sectors for half of the bytes.
// counts: ld=512:2048 st=512:2048
__global__ void even_lanes(const float* x, float* y) {
  const int i = index_in_grid();
  if (i % 2 == 0) y[i] = x[i];
}

// Two sides of a branch, each with loads of its own: the low half-warp and the high one.
// counts: ld=1024:2048 st=512:2048
__global__ void two_sides(const float* x, float* y) {
  const int i = index_in_grid();
  float v;
  if (i % 32 < 16) {
    v = sqrtf(x[i]);
  } else {
    v = x[i + 4096] * 3;
  }
  y[i] = v;
}

// Lane l goes around l % 4 + 1 times: 32, 24, 16 and 8 lanes load, 1024 floats on. The sectors stay four each time.
// counts: ld=2048:8192 st=512:2048
__global__ void uneven_loop(const float* x, float* y) {
  const int i = index_in_grid();
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k <= i % 4; ++k) sum += x[i + k * 1024];
  y[i] = sum;
}

// The inner loop ends at another time in each lane, and the outer one waits: lanes meet again.
// counts: ld=4096:16384 st=512:2048
__global__ void uneven_inner_loop(const float* x, float* y) {
  const int i = index_in_grid();
  float sum = 0;
#pragma unroll 1
  for (int round = 0; round < 2; ++round) {
#pragma unroll 1
    for (int k = 0; k <= (i + round) % 4; ++k) sum += x[i + (round * 4 + k) * 1024];
    sum = sum * 2 + 1;
  }
  y[i] = sum;
}

// Blocks of 48 threads: the second warp has 16 lanes.
// counts: ld=128:384 st=128:384
__global__ void half_a_warp(const float* x, float* y) {
  const int i = index_in_grid();
  y[i] = x[i];
}

// Every fourth thread has left before.
// counts: ld=512:2048 st=512:2048
__global__ void early_return(const float* x, float* y) {
  const int i = index_in_grid();
  if (i % 4 == 3) return;
  y[i] = x[i];
}

// --- shared memory ---------------------------------------------------------------------------------------------------

// counts: ld=512:2048 sts=512:512 lds=512:512 st=512:2048
__global__ void shared_neighbours(const float* x, float* y) {
  __shared__ float tile[threads];
  const int t = static_cast<int>(threadIdx.x), i = index_in_grid();
  tile[t] = x[i];
  __syncthreads();
  y[i] = tile[t ^ 33];
}

template <int Stride>
__device__ void read_with_stride(const float* x, float* y) {
  __shared__ float tile[32 * 32 + 32];
  const int t = static_cast<int>(threadIdx.x), i = index_in_grid();
  for (int k = t; k < 1024; k += threads) tile[k] = x[k];
  __syncthreads();
  y[i] = tile[t % 32 * Stride % 1024 + t / 32];
}

// Two lanes per bank.
// counts: ld=2048:8192 sts=2048:2048 lds=512:1024 st=512:2048
__global__ void conflict_2(const float* x, float* y) {
  read_with_stride<2>(x, y);
}

// counts: ld=2048:8192 sts=2048:2048 lds=512:2048 st=512:2048
__global__ void conflict_4(const float* x, float* y) {
  read_with_stride<4>(x, y);
}

// counts: ld=2048:8192 sts=2048:2048 lds=512:16384 st=512:2048
__global__ void conflict_32(const float* x, float* y) {
  read_with_stride<32>(x, y);
}

// An odd stride meets each bank once.
// counts: ld=2048:8192 sts=2048:2048 lds=512:512 st=512:2048
__global__ void conflict_none(const float* x, float* y) {
  read_with_stride<33>(x, y);
}

// counts: ld=512:2048 sts=512:512 lds=512:512 st=512:2048
__global__ void shared_broadcast(const float* x, float* y) {
  __shared__ float tile[threads];
  const int t = static_cast<int>(threadIdx.x), i = index_in_grid();
  tile[t] = x[i];
  __syncthreads();
  y[i] = tile[255 - t / 32];
}

// A column of a 32x32 tile is written: 32 lanes in one bank.
// counts: ld=2048:8192 sts=2048:65536 lds=2048:2048 st=2048:8192
__global__ void store_column(const float* x, float* y) {
  __shared__ float tile[32][32];
  const int t = static_cast<int>(threadIdx.x), lane = t % 32;
  const int base = static_cast<int>(blockIdx.x) * 1024;
  for (int r = t / 32; r < 32; r += 8) tile[lane][r] = x[base + r * 32 + lane];
  __syncthreads();
  for (int r = t / 32; r < 32; r += 8) y[base + r * 32 + lane] = tile[r][lane];
}

// The same with one float more per row.
// counts: ld=2048:8192 sts=2048:2048 lds=2048:2048 st=2048:8192
__global__ void store_padded_column(const float* x, float* y) {
  __shared__ float tile[32][33];
  const int t = static_cast<int>(threadIdx.x), lane = t % 32;
  const int base = static_cast<int>(blockIdx.x) * 1024;
  for (int r = t / 32; r < 32; r += 8) tile[lane][r] = x[base + r * 32 + lane];
  __syncthreads();
  for (int r = t / 32; r < 32; r += 8) y[base + r * 32 + lane] = tile[r][lane];
}

// 8 bytes per lane go in two halves of the warp, 16 bytes in four quarters.
// counts: ld=512:4096 sts=512:1024 lds=512:1024 st=512:4096
__global__ void shared_float2(const float2* x, float2* y) {
  __shared__ float2 tile[threads];
  const int t = static_cast<int>(threadIdx.x), i = index_in_grid();
  tile[t] = x[i];
  __syncthreads();
  y[i] = tile[t ^ 33];
}

// counts: ld=512:8192 sts=512:2048 lds=512:2048 st=512:8192
__global__ void shared_float4(const float4* x, float4* y) {
  __shared__ float4 tile[threads];
  const int t = static_cast<int>(threadIdx.x), i = index_in_grid();
  tile[t] = x[i];
  __syncthreads();
  y[i] = tile[t ^ 33];
}

// Every second float4: in each quarter two lanes meet in each bank.
// counts: ld=512:8192 sts=512:2048 lds=512:4096 st=512:8192
__global__ void shared_float4_stride_2(const float4* x, float4* y) {
  __shared__ float4 tile[threads];
  const int t = static_cast<int>(threadIdx.x), i = index_in_grid();
  tile[t] = x[i];
  __syncthreads();
  y[i] = tile[2 * t % threads + t / 128];
}

// Every second float2: in each half two lanes meet in each bank.
// counts: ld=512:4096 sts=512:1024 lds=512:2048 st=512:4096
__global__ void shared_float2_stride_2(const float2* x, float2* y) {
  __shared__ float2 tile[threads];
  const int t = static_cast<int>(threadIdx.x), i = index_in_grid();
  tile[t] = x[i];
  __syncthreads();
  y[i] = tile[2 * t % threads + t / 128];
}

// All lanes want the same 16 bytes: one wavefront for each half of the warp.
// counts: ld=512:8192 sts=512:2048 lds=512:1024 st=512:8192
__global__ void shared_float4_broadcast(const float4* x, float4* y) {
  __shared__ float4 tile[threads];
  const int t = static_cast<int>(threadIdx.x), i = index_in_grid();
  tile[t] = x[i];
  __syncthreads();
  y[i] = tile[255 - t / 32];
}

// counts: ld=512:4096 sts=512:1024 lds=512:512 st=512:4096
__global__ void shared_float2_broadcast(const float2* x, float2* y) {
  __shared__ float2 tile[threads];
  const int t = static_cast<int>(threadIdx.x), i = index_in_grid();
  tile[t] = x[i];
  __syncthreads();
  y[i] = tile[255 - t / 32];
}

// Two lanes share a word of their bank.
// counts: ld=512:1024 sts=512:512 lds=512:512 st=512:1024
__global__ void shared_16_bits(const unsigned short* x, unsigned short* y) {
  __shared__ unsigned short tile[threads];
  const int t = static_cast<int>(threadIdx.x), i = index_in_grid();
  tile[t] = x[i];
  __syncthreads();
  y[i] = tile[t ^ 33];
}

// 16-bit elements 64 bytes apart: lanes two apart meet in a bank.
// counts: ld=2048:4096 sts=2048:2048 lds=512:8192 st=512:1024
__global__ void shared_16_bits_column(const unsigned short* x, unsigned short* y) {
  __shared__ unsigned short tile[32][32];
  const int t = static_cast<int>(threadIdx.x), i = index_in_grid();
  for (int k = t; k < 1024; k += threads) tile[k / 32][k % 32] = x[k];
  __syncthreads();
  y[i] = tile[t % 32][t / 32];
}

// A warp's 16 working lanes at a stride of 2 meet each even bank once.
// counts: ld=512:2048 sts=512:512 lds=512:512 st=512:1024
__global__ void shared_half_of_lanes(const float* x, float* y) {
  __shared__ float tile[threads];
  const int t = static_cast<int>(threadIdx.x), i = index_in_grid();
  tile[t] = x[i];
  __syncthreads();
  if (t % 32 < 16) y[i] = tile[t / 32 * 32 + t % 32 * 2];
}

// --- atomics, asynchronous copies ------------------------------------------------------------------------------------

// counts: ld=512:2048 red=512:2048
__global__ void atomic_neighbours(const float* x, float* y) {
  const int i = index_in_grid();
  atomicAdd(&y[i], x[i]);
}

// Eight lanes meet on each address: the sector is updated eight times.
// counts: ld=512:2048 red=512:4096
__global__ void atomic_eights(const float* x, float* y) {
  const int i = index_in_grid();
  atomicAdd(&y[i / 8], x[i]);
}

// All meet on one.
// counts: ld=512:2048 red=512:16384
__global__ void atomic_one(const float* x, float* y) {
  const int i = index_in_grid();
  atomicAdd(&y[0], x[i]);
}

// counts: ld=512:2048 atoms=512:512 sts=512:512 lds=512:512 st=512:2048
__global__ void shared_histogram(const int* x, int* y) {
  __shared__ int bins[threads];
  const int t = static_cast<int>(threadIdx.x), i = index_in_grid();
  bins[t] = 0;
  __syncthreads();
  atomicAdd(&bins[x[i] & 31], 1);
  __syncthreads();
  y[i] = bins[t];
}

// Global to shared memory past the registers.
// counts: ld=512:8192 lds=512:2048 st=512:8192
__global__ void copy_async(const float4* x, float4* y) {
  __shared__ float4 tile[threads];
  const int t = static_cast<int>(threadIdx.x), i = index_in_grid();
  __pipeline_memcpy_async(&tile[t], &x[i], 16);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  y[i] = tile[t ^ 33];
}

// --- whole algorithms ------------------------------------------------------------------------------------------------

// One thread per element of C, 128x128x128. A warp covers two rows of 16: two sectors of A and two of B.
// counts: ld=131072:262144 st=512:2048
__global__ void matmul_naive(const float* a, const float* b, float* c) {
  constexpr int n = 128;
  const int col = static_cast<int>(blockIdx.x % 8 * 16 + threadIdx.x % 16);
  const int row = static_cast<int>(blockIdx.x / 8 * 16 + threadIdx.x / 16);
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
  c[row * n + col] = sum;
}

// Tiles of 16x16 in shared memory. A warp holds two rows of a tile.
// counts: ld=8192:32768 sts=8192:8192 lds=131072:131072 st=512:2048
__global__ void matmul_tiled(const float* a, const float* b, float* c) {
  constexpr int n = 128, side = 16;
  __shared__ float left[side][side], right[side][side];
  const int tx = static_cast<int>(threadIdx.x % side), ty = static_cast<int>(threadIdx.x / side);
  const int col = static_cast<int>(blockIdx.x % 8) * side + tx;
  const int row = static_cast<int>(blockIdx.x / 8) * side + ty;
  float sum = 0;
#pragma unroll 1
  for (int k0 = 0; k0 < n; k0 += side) {
    left[ty][tx] = a[row * n + k0 + tx];
    right[ty][tx] = b[(k0 + ty) * n + col];
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < side; ++k) sum += left[ty][k] * right[k][tx];
    __syncthreads();
  }
  c[row * n + col] = sum;
}

// The tree of a block in shared memory. Of 32 lanes 16, 8, 4, 2, 1 work, and from then on of 8 warps 4, 2, 1.
// counts: ld=512:2048 sts=3520:3520 lds=6080:6080 st=64:64
__global__ void sum_of_a_block(const float* x, float* y) {
  __shared__ float part[threads];
  const int t = static_cast<int>(threadIdx.x);
  part[t] = x[index_in_grid()];
  __syncthreads();
#pragma unroll 1
  for (int step = 1; step < threads; step *= 2) {
    if (t % (2 * step) == 0) part[t] += part[t + step];
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = part[0];
}

#define CHECK(call)                                                     \
  if (const cudaError_t error = (call); error != cudaSuccess) {         \
    std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error)); \
    std::exit(1);                                                       \
  }

template <class T>
T* filled(int count) {
  T* data = nullptr;
  CHECK(cudaMalloc(&data, count * sizeof(T)));
  std::vector<T> host(count);
  for (int i = 0; i < count; ++i) host[i] = static_cast<T>(i % 1021 + 1);
  CHECK(cudaMemcpy(data, host.data(), count * sizeof(T), cudaMemcpyHostToDevice));
  return data;
}

}  // namespace

int main() {
  float* const x = filled<float>(size);
  float* const y = filled<float>(size);
  auto* const x2 = reinterpret_cast<float2*>(x);
  auto* const y2 = reinterpret_cast<float2*>(y);
  auto* const x4 = reinterpret_cast<float4*>(x);
  auto* const y4 = reinterpret_cast<float4*>(y);
  auto* const shorts = reinterpret_cast<unsigned short*>(x);
  auto* const shorts_out = reinterpret_cast<unsigned short*>(y);
  int* const integers = filled<int>(size);
  int* table = nullptr;
  std::vector<int> places(threads * blocks);
  for (int i = 0; i < threads * blocks; ++i) places[i] = (i / 32 * 32 + i * 13 % 32) * 8;
  CHECK(cudaMalloc(&table, places.size() * sizeof(int)));
  CHECK(cudaMemcpy(table, places.data(), places.size() * sizeof(int), cudaMemcpyHostToDevice));

  copy_f32<<<blocks, threads>>>(x, y);
  offset_one<<<blocks, threads>>>(x, y);
  offset_sector<<<blocks, threads>>>(x, y);
  stride_2<<<blocks, threads>>>(x, y);
  stride_8<<<blocks, threads>>>(x, y);
  stride_32<<<blocks, threads>>>(x, y);
  store_stride_8<<<blocks, threads>>>(x, y);
  reversed<<<blocks, threads>>>(x, y);
  broadcast<<<blocks, threads>>>(x, y);
  fours<<<blocks, threads>>>(x, y);
  gather<<<blocks, threads>>>(x, table, y);
  copy_16_bits<<<blocks, threads>>>(shorts, shorts_out);
  copy_bytes<<<blocks, threads>>>(reinterpret_cast<unsigned char*>(x),
                                  reinterpret_cast<unsigned char*>(y));
  copy_float2<<<blocks, threads>>>(x2, y2);
  copy_float4<<<blocks, threads>>>(x4, y4);
  float4_offset<<<blocks, threads>>>(x4, y4);
  float4_stride_2<<<blocks, threads>>>(x4, y4);
  float4_broadcast<<<blocks, threads>>>(x4, y4);
  array_of_structs<<<blocks, threads>>>(reinterpret_cast<float3*>(x), y);
  down_columns<<<blocks, threads>>>(x, y);

  tail<<<blocks, threads>>>(x, y, 10024);
  even_lanes<<<blocks, threads>>>(x, y);
  two_sides<<<blocks, threads>>>(x, y);
  uneven_loop<<<blocks, threads>>>(x, y);
  uneven_inner_loop<<<blocks, threads>>>(x, y);
  half_a_warp<<<blocks, 48>>>(x, y);
  early_return<<<blocks, threads>>>(x, y);

  shared_neighbours<<<blocks, threads>>>(x, y);
  conflict_2<<<blocks, threads>>>(x, y);
  conflict_4<<<blocks, threads>>>(x, y);
  conflict_32<<<blocks, threads>>>(x, y);
  conflict_none<<<blocks, threads>>>(x, y);
  shared_broadcast<<<blocks, threads>>>(x, y);
  store_column<<<blocks, threads>>>(x, y);
  store_padded_column<<<blocks, threads>>>(x, y);
  shared_float2<<<blocks, threads>>>(x2, y2);
  shared_float4<<<blocks, threads>>>(x4, y4);
  shared_float4_stride_2<<<blocks, threads>>>(x4, y4);
  shared_float2_stride_2<<<blocks, threads>>>(x2, y2);
  shared_float4_broadcast<<<blocks, threads>>>(x4, y4);
  shared_float2_broadcast<<<blocks, threads>>>(x2, y2);
  shared_16_bits<<<blocks, threads>>>(shorts, shorts_out);
  shared_16_bits_column<<<blocks, threads>>>(shorts, shorts_out);
  shared_half_of_lanes<<<blocks, threads>>>(x, y);

  atomic_neighbours<<<blocks, threads>>>(x, y);
  atomic_eights<<<blocks, threads>>>(x, y);
  atomic_one<<<blocks, threads>>>(x, y);
  shared_histogram<<<blocks, threads>>>(integers, integers + size / 2);
  copy_async<<<blocks, threads>>>(x4, y4);

  matmul_naive<<<blocks, threads>>>(x, x + 65536, y);
  matmul_tiled<<<blocks, threads>>>(x, x + 65536, y);
  sum_of_a_block<<<blocks, threads>>>(x, y);
  CHECK(cudaDeviceSynchronize());

  xray_tests::launch_rungs(x, y, size);
  CHECK(cudaDeviceSynchronize());
  return 0;
}
