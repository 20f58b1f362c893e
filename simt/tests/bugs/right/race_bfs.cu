// Breadth-first search with two arrays: what a launch reads and what it sets.
__global__ void step(const int* offsets, const int* edges, const int* level, int* next, int depth,
                     int n) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n || level[v] != depth) return;
  for (int e = offsets[v]; e < offsets[v + 1]; ++e) {
    if (level[edges[e]] == -1) next[edges[e]] = depth + 1;
  }
}

int main() {
  const int n = 128, degree = 4;
  int *offsets, *edges, *level, *next;
  cudaMallocManaged(&offsets, (n + 1) * sizeof(int));
  cudaMallocManaged(&edges, n * degree * sizeof(int));
  cudaMallocManaged(&level, n * sizeof(int));
  cudaMallocManaged(&next, n * sizeof(int));
  for (int i = 0; i <= n; ++i) offsets[i] = degree * i;
  for (int i = 0; i < n * degree; ++i) edges[i] = (7 * i + i / degree) % n;
  for (int i = 0; i < n; ++i) level[i] = next[i] = i == 0 ? 0 : -1;
  for (int depth = 0; depth < 4; ++depth) {
    step<<<2, 64>>>(offsets, edges, level, next, depth, n);
    cudaMemcpy(level, next, n * sizeof(int), cudaMemcpyDefault);
  }
  cudaDeviceSynchronize();
  cudaFree(offsets);
  cudaFree(edges);
  cudaFree(level);
  cudaFree(next);
}
