// The stream frees its buffer between the two kernels that need it.
__global__ void fill(int* a) {
  a[threadIdx.x] = threadIdx.x;
}
__global__ void twice(int* out, const int* a) {
  out[threadIdx.x] = 2 * a[threadIdx.x];
}

int main() {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  int *a, *out;
  cudaMallocAsync(&a, 64 * sizeof(int), stream);
  cudaMallocAsync(&out, 64 * sizeof(int), stream);
  fill<<<1, 64, 0, stream>>>(a);
  cudaFreeAsync(a, stream);
  twice<<<1, 64, 0, stream>>>(out, a);
  cudaFreeAsync(out, stream);
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
}
