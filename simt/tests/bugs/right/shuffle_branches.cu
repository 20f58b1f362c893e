// The shuffle stands before the branch.
__global__ void neighbours(int* out) {
  int lane = threadIdx.x, v = lane * lane;
  int down = __shfl_down_sync(0xffffffffu, v, 1);
  int up = __shfl_up_sync(0xffffffffu, v, 1);
  v = lane < 16 ? down : up;
  out[lane] = v;
}

int main() {
  int* out;
  cudaMalloc(&out, 32 * sizeof(int));
  neighbours<<<1, 32>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
