// Work is taken from the queue by the next kernel.
__global__ void put(int* queue, int* end) {
  int place = atomicAdd(end, 1);
  queue[place] = 2 * place;
}
__global__ void take(int* queue) {
  int place = threadIdx.x + blockIdx.x * blockDim.x;
  if (place > 0) queue[64 + place] = queue[place - 1];
}

int main() {
  int *queue, *end;
  cudaMalloc(&queue, 128 * sizeof(int));
  cudaMalloc(&end, sizeof(int));
  cudaMemset(queue, 0, 128 * sizeof(int));
  cudaMemset(end, 0, sizeof(int));
  put<<<2, 32>>>(queue, end);
  take<<<2, 32>>>(queue);
  cudaDeviceSynchronize();
  cudaFree(queue);
  cudaFree(end);
}
