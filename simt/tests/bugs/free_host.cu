// The host's array and the device's change places at the end.
#include <cstdlib>

int main() {
  int* host = static_cast<int*>(malloc(256));
  int* device;
  cudaMalloc(&device, 256);
  cudaMemset(device, 0, 256);
  cudaMemcpy(host, device, 256, cudaMemcpyDeviceToHost);
  cudaFree(host);
  free(host);
}
