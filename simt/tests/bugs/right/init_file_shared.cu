// One thread sets the file's total to zero before the others add to it.
__shared__ int total;

template <class T>
__device__ void add(T value) {
  atomicAdd(&total, value);
}

__global__ void sum(const int* in, int* out) {
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  add(in[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = total;
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 64 * sizeof(int));
  cudaMalloc(&out, 2 * sizeof(int));
  cudaMemset(in, 0, 64 * sizeof(int));
  sum<<<2, 64>>>(in, out);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
