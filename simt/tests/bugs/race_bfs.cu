// Breadth-first search in place: threads read levels that others of the same launch are setting.
__global__ void step(const int* offsets, const int* edges, int* level, int depth, int n) {
  const int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n || level[v] != depth) return;
  for (int e = offsets[v]; e < offsets[v + 1]; ++e) {
    if (level[edges[e]] == -1) level[edges[e]] = depth + 1;
  }
}

int main() {
  const int n = 128, degree = 4;
  int *offsets, *edges, *level;
  cudaMallocManaged(&offsets, (n + 1) * sizeof(int));
  cudaMallocManaged(&edges, n * degree * sizeof(int));
  cudaMallocManaged(&level, n * sizeof(int));
  for (int i = 0; i <= n; ++i) offsets[i] = degree * i;
  for (int i = 0; i < n * degree; ++i) edges[i] = (7 * i + i / degree) % n;
  for (int i = 0; i < n; ++i) level[i] = i == 0 ? 0 : -1;
  for (int depth = 0; depth < 4; ++depth) step<<<2, 64>>>(offsets, edges, level, depth, n);
  cudaDeviceSynchronize();
  cudaFree(offsets);
  cudaFree(edges);
  cudaFree(level);
}
