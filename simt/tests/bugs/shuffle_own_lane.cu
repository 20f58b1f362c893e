// The first eight lanes are named, and all lanes call.
__global__ void broadcast(int* out) {
  int lane = threadIdx.x;
  int v = __shfl_sync(0xffu, lane * 5, 3, 8);
  out[lane] = v;
}

int main() {
  int* out;
  cudaMalloc(&out, 32 * sizeof(int));
  broadcast<<<1, 32>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
