// The tiles of a matrix product are loaded anew while slow warps still multiply.
constexpr int side = 16;

__global__ void multiply(const float* a, const float* b, float* c, int n) {
  __shared__ float at[side][side], bt[side][side];
  int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * side + x, row = blockIdx.y * side + y;
  float sum = 0;
  for (int k = 0; k < n; k += side) {
    at[y][x] = a[row * n + k + x];
    bt[y][x] = b[(k + y) * n + column];
    __syncthreads();
    for (int i = 0; i < side; ++i) sum += at[y][i] * bt[i][x];
  }
  c[row * n + column] = sum;
}

int main() {
  const int n = 32;
  static float host[n * n];
  for (int i = 0; i < n * n; ++i) host[i] = i % 9;
  float *a, *c;
  cudaMalloc(&a, sizeof host);
  cudaMalloc(&c, sizeof host);
  cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);
  multiply<<<dim3(2, 2), dim3(side, side)>>>(a, a, c, n);
  cudaDeviceSynchronize();
  cudaFree(a);
  cudaFree(c);
}
