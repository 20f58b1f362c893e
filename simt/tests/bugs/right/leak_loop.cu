// Every step frees its scratch memory.
__global__ void fill(float* scratch, float value) {
  scratch[threadIdx.x] = value;
}

int main() {
  float* scratch = nullptr;
  for (int step = 0; step < 5; ++step) {
    cudaMalloc(&scratch, 512);
    fill<<<1, 128>>>(scratch, step);
    cudaDeviceSynchronize();
    cudaFree(scratch);
  }
}
