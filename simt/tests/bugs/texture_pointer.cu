// The address of the data goes to the kernel where a texture object belongs.
#include <cstdint>

__global__ void sample(cudaTextureObject_t image, float* out) {
  out[threadIdx.x] = tex2D<float>(image, threadIdx.x + 0.5f, 0.5f);
}

int main() {
  float *data, *out;
  cudaMalloc(&data, 16 * sizeof(float));
  cudaMemset(data, 0, 16 * sizeof(float));
  cudaMalloc(&out, 32 * sizeof(float));
  sample<<<1, 32>>>(reinterpret_cast<std::uintptr_t>(data), out);
  cudaDeviceSynchronize();
  cudaFree(data);
  cudaFree(out);
}
