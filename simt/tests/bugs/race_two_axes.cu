// Arrays of two dimensions, shared, of the device and of a parameter: the elements are called by both indices.
struct Weights {
  float of[2][5];
};
__device__ float grid[4][8];

__global__ void collide(float* out) {
  __shared__ float tile[3][33];
  tile[2][threadIdx.x / 2] = threadIdx.x;
  grid[1][threadIdx.x / 2 + 3] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = tile[2][0] + tile[1][threadIdx.x + 31];
}
__global__ void outside(Weights w, float* out, int column) {
  out[threadIdx.x] = w.of[1][column];
}

int main() {
  float* out;
  cudaMalloc(&out, 2 * sizeof(float));
  collide<<<1, 2>>>(out);
  cudaDeviceSynchronize();
  outside<<<1, 1>>>(Weights{}, out, 5);
  cudaDeviceSynchronize();
  cudaFree(out);
}
