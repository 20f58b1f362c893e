// All lanes that call are named.
__global__ void broadcast(int* out) {
  int lane = threadIdx.x;
  int v = __shfl_sync(0xffffffffu, lane * 5, 3, 8);
  out[lane] = v;
}

int main() {
  int* out;
  cudaMalloc(&out, 32 * sizeof(int));
  broadcast<<<1, 32>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
