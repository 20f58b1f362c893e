// A function of CUDA's runtime in a kernel.
__global__ void k(int* p) {
  // error: host function 'cudaMemcpy' is called
  cudaMemcpy(p, p + 1, sizeof(int), cudaMemcpyDeviceToDevice);
}
