// Several threads find the key and each notes its own place.
__global__ void find(const int* in, int n, int key, int* place) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] == key) *place = i;
}

int main() {
  int host[200], *in, *place;
  for (int i = 0; i < 200; ++i) host[i] = i % 50;
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&place, sizeof(int));
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  cudaMemset(place, 0x7f, sizeof(int));
  find<<<4, 64>>>(in, 200, 7, place);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(place);
}
