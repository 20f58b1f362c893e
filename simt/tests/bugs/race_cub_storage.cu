// CUB's storage used for a second reduction, without a barrier after the first.
#include <cub/cub.cuh>

struct Max {
  __device__ int operator()(int a, int b) const { return a < b ? b : a; }
};

__global__ void two_sums(const int* in, int* out) {
  using Reduce = cub::BlockReduce<int, 128>;
  __shared__ Reduce::TempStorage storage;
  const int sum = Reduce(storage).Sum(in[threadIdx.x]);
  const int most = Reduce(storage).Reduce(in[threadIdx.x], Max());
  if (threadIdx.x == 0) out[0] = sum + most;
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 128 * sizeof(int));
  cudaMalloc(&out, sizeof(int));
  cudaMemset(in, 0, 128 * sizeof(int));
  two_sums<<<1, 128>>>(in, out);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
