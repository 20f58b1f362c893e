// The unrolled loop takes four elements a thread as far as there are any.
template <int unroll, class T>
__device__ T part(const T* in, int first, int n) {
  T sum = 0;
#pragma unroll
  for (int k = 0; k < unroll; ++k) {
    if (first + k < n) sum += in[first + k];
  }
  return sum;
}

template <int unroll, class T>
__global__ void sums(const T* in, T* out, int n) {
  int first = (blockIdx.x * blockDim.x + threadIdx.x) * unroll;
  if (first < n) out[first / unroll] = part<unroll>(in, first, n);
}

int main() {
  const int n = 510;
  int *in, *out;
  cudaMalloc(&in, n * sizeof(int));
  cudaMalloc(&out, 128 * sizeof(int));
  cudaMemset(in, 0, n * sizeof(int));
  sums<4><<<1, 128>>>(in, out, n);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
