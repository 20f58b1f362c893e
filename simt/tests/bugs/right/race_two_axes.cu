// Each thread has its own elements, and the columns are there.
struct Weights {
  float of[2][5];
};
__device__ float grid[4][8];

__global__ void fill(float* out) {
  __shared__ float tile[3][33];
  tile[2][threadIdx.x] = threadIdx.x;
  grid[1][threadIdx.x + 3] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = tile[2][1 - threadIdx.x];
}
__global__ void inside(Weights w, float* out, int column) {
  out[threadIdx.x] = w.of[1][column];
}

int main() {
  float* out;
  cudaMalloc(&out, 2 * sizeof(float));
  fill<<<1, 2>>>(out);
  cudaDeviceSynchronize();
  inside<<<1, 1>>>(Weights{}, out, 4);
  cudaDeviceSynchronize();
  cudaFree(out);
}
