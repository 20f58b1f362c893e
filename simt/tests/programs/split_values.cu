// What threads keep over a barrier: arrays, structures, pointers, parameters they change. As loops over
// their threads and on fibers kernels must say the same. Run both ways by program_test.cpp.

#include <cooperative_groups.h>

#include <cstdio>

namespace cg = cooperative_groups;

struct Pair {
  int a, b;
  __device__ int sum() const { return a + b; }
};

__device__ void swap_them(int& a, int& b) {
  const int t = a;
  a = b;
  b = t;
}
__device__ int twice(int x) {
  return x * 2;
}

__global__ void arrays(int* out, int n) {
  __shared__ int values[4][64];
  const int t = threadIdx.x;
  int own[4] = {t, t + 1}, table[2][2];
  Pair pair = {t, 2};
  float4 four = make_float4(t, 1, 2, 3);
  for (int i = 0; i < 4; ++i) values[i][t] = own[i] + i;
  table[0][1] = t;
  table[1][0] = n;
  __syncthreads();
  for (int i = 0; i < 4; ++i) own[i] += values[i][63 - t];
  pair.a += own[3];
  table[1][1] = table[0][1] + table[1][0];
  four.x += values[0][0];
  __syncthreads();
  out[t] = own[0] + own[1] * 3 + pair.sum() + table[1][1] + int(four.x + four.w);
}

__global__ void pointers(int* out, const int* in, int n) {
  extern __shared__ int all[];
  int* first = all;
  int* second = &all[blockDim.x];
  const int* row = in + blockIdx.x * n;
  int x = 5, y = threadIdx.x, *p = &x;
  first[threadIdx.x] = row[threadIdx.x % n];
  second[threadIdx.x] = y;
  __syncthreads();
  *p += first[(threadIdx.x + 1) % blockDim.x];
  swap_them(x, y);
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = x * 1000 + y + second[threadIdx.x] + twice(*p);
}

__global__ void own_parameters(int* out, int n, Pair pair) {
  __shared__ int values[64];
  n += threadIdx.x;
  pair.a = n * 2;
  values[threadIdx.x] = n;
  __syncthreads();
  out += threadIdx.x;
  pair.b += values[63 - threadIdx.x];
  __syncthreads();
  *out = n + pair.sum();
}

template <class T, int N, bool doubled>
__global__ void templated(T* out, T scale) {
  __shared__ T values[N];
  constexpr int half = N / 2;
  using Index = unsigned;
  const Index t = threadIdx.x;
  auto mine = static_cast<T>(t) * scale;
  auto add = [&](T x) { mine += x; };
  values[t] = mine;
  __syncthreads();
  add(values[(t + half) % N]);
  if constexpr (doubled) {
    __syncthreads();
    values[t] = mine;
    __syncthreads();
    add(values[N - 1 - t]);
  }
  __syncthreads();
  auto last = values[t] + mine;
  __syncthreads();
  out[t] = last;
}

__global__ void cube(int* out) {
  __shared__ int values[4][4][4];
  const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
  values[z][y][x] = x + 10 * y + 100 * z;
  __syncthreads();
  out[(z * 4 + y) * 4 + x] = values[x][z][y];
}

__global__ void groups(int* out) {
  __shared__ int values[64];
  cg::thread_block block = cg::this_thread_block();
  const unsigned t = block.thread_rank();
  values[t] = t;
  block.sync();
  int v = values[(t + 1) % block.size()];
  cg::sync(block);
  values[t] = v;
  cg::this_thread_block().sync();
  out[t] = values[(t + 1) % 64];
}

__global__ void in_one_warp(int* out) {
  __shared__ int values[64];
  const int t = threadIdx.x;
  values[t] = t;
  __syncwarp();
  for (int d = 16; d > 0; d /= 2) {
    const int v = values[(t & 32) + (t + d) % 32];
    __syncwarp();
    values[t] += v;
    __syncwarp();
  }
  out[t] = values[t];
}

template <class T>
void show(const char* name, T* out) {
  const cudaError_t error = cudaDeviceSynchronize();
  double sum = 0;
  for (int i = 0; i < 64; ++i) sum = sum * 0.5 + double(out[i]);
  printf("%s %s %g %g %g %.8g\n", name, cudaGetErrorString(error), double(out[0]), double(out[7]),
         double(out[63]), sum);
}

int main() {
  int *out, *in;
  float* reals;
  cudaMallocManaged(&out, 128 * sizeof(int));
  cudaMallocManaged(&in, 128 * sizeof(int));
  cudaMallocManaged(&reals, 64 * sizeof(float));
  for (int i = 0; i < 128; ++i) in[i] = i * 7 % 50;
  arrays<<<1, 64>>>(out, 9), show("arrays", out);
  pointers<<<2, 32, 64 * sizeof(int)>>>(out, in, 20), show("pointers", out);
  own_parameters<<<1, 64>>>(out, 3, Pair{1, 2}), show("own parameters", out);
  templated<float, 64, true><<<1, 64>>>(reals, 0.25f), show("templated", reals);
  templated<int, 64, false><<<1, 64>>>(out, 3), show("templated", out);
  cube<<<1, dim3(4, 4, 4)>>>(out), show("cube", out);
  groups<<<1, 64>>>(out), show("groups", out);
  in_one_warp<<<1, 64>>>(out), show("in one warp", out);
}
