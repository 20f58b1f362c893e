// Each array goes back to where it came from.
#include <cstdlib>

int main() {
  int* host = static_cast<int*>(malloc(256));
  int* device;
  cudaMalloc(&device, 256);
  cudaMemset(device, 0, 256);
  cudaMemcpy(host, device, 256, cudaMemcpyDeviceToHost);
  cudaFree(device);
  free(host);
}
