// A prefix sum in place reads, waits, writes, waits.
template <class T, int n>
__global__ void scan(T* data) {
  __shared__ T s[n];
  int t = threadIdx.x;
  s[t] = data[t];
  __syncthreads();
  for (int d = 1; d < n; d *= 2) {
    T left = t >= d ? s[t - d] : T(0);
    __syncthreads();
    s[t] += left;
    __syncthreads();
  }
  data[t] = s[t];
}

int main() {
  int host[128], *data;
  for (int i = 0; i < 128; ++i) host[i] = 1;
  cudaMalloc(&data, sizeof host);
  cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
  scan<int, 128><<<1, 128>>>(data);
  cudaDeviceSynchronize();
  cudaFree(data);
}
