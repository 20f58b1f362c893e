// Both sides of a branch shuffle, each as if the whole warp were there.
__global__ void neighbours(int* out) {
  int lane = threadIdx.x, v = lane * lane;
  if (lane < 16) {
    v = __shfl_down_sync(0xffffffffu, v, 1);
  } else {
    v = __shfl_up_sync(0xffffffffu, v, 1);
  }
  out[lane] = v;
}

int main() {
  int* out;
  cudaMalloc(&out, 32 * sizeof(int));
  neighbours<<<1, 32>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
