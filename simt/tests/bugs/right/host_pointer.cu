// Pinned and managed memory are the host's and the device's.
__global__ void fill(int* out) {
  out[threadIdx.x] += 1;
}

int main() {
  int *pinned, *managed;
  cudaMallocHost(&pinned, 32 * sizeof(int));
  cudaMallocManaged(&managed, 32 * sizeof(int));
  for (int i = 0; i < 32; ++i) pinned[i] = managed[i] = 0;
  fill<<<1, 32>>>(pinned);
  fill<<<1, 32>>>(managed);
  cudaDeviceSynchronize();
  const bool good = pinned[3] == 1 && managed[31] == 1;
  cudaFreeHost(pinned);
  cudaFree(managed);
  return good ? 0 : 1;
}
