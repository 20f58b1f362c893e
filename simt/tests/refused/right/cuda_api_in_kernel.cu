// Some the device has as well.
__global__ void k(int* p) {
  int device;
  cudaGetDevice(&device);
  if (cudaGetLastError() == cudaSuccess) *p = device;
}
int main() {
  cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyDefault);
}
