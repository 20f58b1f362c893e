// A function of CUDA's runtime in a kernel.
__global__ void k(int* p) {
  cudaMemcpy(p, p + 1, sizeof(int), cudaMemcpyDeviceToDevice);  // error: host function 'cudaMemcpy' is called
}
