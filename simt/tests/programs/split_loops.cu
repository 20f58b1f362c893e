// Kernels with barriers in loops and branches: as loops over their threads and on fibers they must say
// the same. Run both ways by program_test.cpp.

#include <cstdio>

__global__ void nested(int* out, int rounds) {
  __shared__ int values[64];
  const int t = threadIdx.x;
  int sum = 0;
  values[t] = t;
  for (int i = 0; i < rounds; ++i) {
    for (int d = 1; d < 64; d <<= 1) {
      __syncthreads();
      const int other = values[(t + d) % 64];
      __syncthreads();
      values[t] += other % 5;
    }
    sum += values[t] * (i + 1);
  }
  out[t] = sum;
}

// The bound is each thread's own: some leave the loop before the others.
__global__ void ragged(int* out) {
  __shared__ int total;
  const int t = threadIdx.x;
  if (t == 0) total = 0;
  __syncthreads();
  int seen = 0;
  for (int i = 0; i < t % 7; ++i) {
    atomicAdd(&total, i);
    __syncthreads();
    seen = seen * 3 + total;
    __syncthreads();
  }
  out[t] = seen;
}

// Both ways of a branch have a barrier: they are one barrier of the block.
__global__ void both_ways(int* out) {
  __shared__ int values[64];
  const int t = threadIdx.x;
  if (t < 20) {
    values[t] = t + 100;
    __syncthreads();
    out[t] = values[t + 30];
  } else {
    values[t] = t + 200;
    __syncthreads();
    out[t] = values[t % 20];
  }
}

__global__ void jumps(int* out, int n) {
  __shared__ int values[64];
  int t = threadIdx.x, mine = 0;
  values[t] = t;
  __syncthreads();
  for (int i = 0;; ++i) {
    if (i >= n) break;
    if (i % 3 == 1) continue;
    mine += values[(t + i) % 64];
    __syncthreads();
    if (mine > 1 << 20) break;
    values[t] = mine;
    for (int k = 0; k < 10; ++k) {
      if (k == i) continue;
      if (k > 6) break;
      mine += k;
    }
    __syncthreads();
    switch (i % 3) {
      case 0:
        mine += 2;
        break;
      default:
        mine -= 1;
        break;
    }
  }
  out[t] = mine;
}

__global__ void at_least_once(int* out) {
  __shared__ int flag, step;
  const int t = threadIdx.x;
  int count = 0;
  if (t == 0) step = 0;
  do {
    __syncthreads();
    if (t == 0) flag = ++step < 5;
    __syncthreads();
    count += step;
  } while (flag);
  out[t] = count;
}

__global__ void early(int* out, int n) {
  __shared__ int values[64];
  const int t = threadIdx.x;
  if (t >= n) return;
  values[t] = t * t;
  __syncthreads();
  if (t % 4 == 1) return;
  out[t] = values[n - 1 - t];
  __syncthreads();
  for (int d = 8; d > 0; d /= 2) {
    if (t < d) values[t] += values[t + d];
    __syncthreads();
  }
  if (t == 0) out[63] = values[0];
}

__global__ void uniform_while(int* out, int n) {
  __shared__ int values[64];
  const int t = threadIdx.x;
  values[t] = t + 1;
  int d = blockDim.x / 2, rounds = 0;
  __syncthreads();
  while (d != 0) {
    if (t < d) values[t] += values[t + d];
    ++rounds;
    d >>= 1;
    if (rounds % 2 == n && t == d) values[t] += 1;
    __syncthreads();
  }
  out[t] = values[t] * 100 + rounds;
}

__global__ void only_when(int* out, bool twice) {
  __shared__ int values[64];
  const int t = threadIdx.x;
  values[t] = t;
  if (twice) {
    __syncthreads();
    const int v = values[63 - t];
    __syncthreads();
    values[t] = v + 1;
  } else if (blockDim.x == 64) {
    values[t] = 3;
  }
  __syncthreads();
  {
    int v = values[(t + 1) % 64];
    __syncthreads();
    values[t] = v;
  }
  int v = 1;
  __syncthreads();
  out[t] = values[(t + 1) % 64] + v;
}

static int* out;

static void show(const char* name) {
  const cudaError_t error = cudaDeviceSynchronize();
  unsigned sum = 0;
  for (int i = 0; i < 64; ++i) sum = sum * 31 + unsigned(out[i]);
  printf("%s %s %d %d %d %u\n", name, cudaGetErrorString(error), out[0], out[7], out[63], sum);
  for (int i = 0; i < 64; ++i) out[i] = 0;
}

int main() {
  cudaMallocManaged(&out, 64 * sizeof(int));
  nested<<<1, 64>>>(out, 3), show("nested");
  ragged<<<1, 64>>>(out), show("ragged");
  both_ways<<<1, 64>>>(out), show("both ways");
  jumps<<<1, 64>>>(out, 17), show("jumps");
  at_least_once<<<1, 64>>>(out), show("at least once");
  early<<<1, 64>>>(out, 50), show("early");
  uniform_while<<<1, 64>>>(out, 1), show("uniform while");
  only_when<<<1, 64>>>(out, true), show("only when");
  only_when<<<1, 64>>>(out, false), show("only when");
}
