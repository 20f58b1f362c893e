// Work is taken from a queue while others still put work in.
__global__ void put(int* queue, int* end) {
  int place = atomicAdd(end, 1);
  queue[place] = 2 * place;
  if (place > 0) queue[64 + place] = queue[place - 1];
}

int main() {
  int *queue, *end;
  cudaMalloc(&queue, 128 * sizeof(int));
  cudaMalloc(&end, sizeof(int));
  cudaMemset(queue, 0, 128 * sizeof(int));
  cudaMemset(end, 0, sizeof(int));
  put<<<2, 32>>>(queue, end);
  cudaDeviceSynchronize();
  cudaFree(queue);
  cudaFree(end);
}
