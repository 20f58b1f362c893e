// The maximum is taken by atomicCAS, and the result is read where others are still at it.
__device__ void largest(int* best, int value) {
  int old = *best;
  while (value > old) {
    const int assumed = old;
    old = atomicCAS(best, assumed, value);
    if (old == assumed) break;
  }
}

__global__ void run(const int* in, int* best, int* seen) {
  largest(best, in[threadIdx.x]);
  seen[threadIdx.x] = *best;
}

// Skipping the update may be meant to save time; the value that is skipped for may be an old one.
__global__ void skip(const int* in, int* best) {
  if (in[threadIdx.x] > *best) atomicMax(best, in[threadIdx.x]);
}

// The value is kept: that an atomic of the same thread follows does not make the read one.
__global__ void keep(int* best, int* seen) {
  seen[threadIdx.x] = *best;
  atomicMax(best, int(threadIdx.x));
}

int main() {
  const int n = 128;
  int *in, *best, *seen;
  cudaMallocManaged(&in, n * sizeof(int));
  cudaMallocManaged(&best, 3 * sizeof(int));
  cudaMallocManaged(&seen, n * sizeof(int));
  best[0] = best[1] = best[2] = 0;
  for (int i = 0; i < n; ++i) in[i] = i * 37 % n;
  run<<<1, n>>>(in, best, seen);
  skip<<<1, n>>>(in, best + 1);
  keep<<<1, n>>>(best + 2, seen);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(best);
  cudaFree(seen);
}
