// The texture object is created before the kernel reads it.
__global__ void sample(cudaTextureObject_t image, float* out) {
  out[threadIdx.x] = tex2D<float>(image, threadIdx.x + 0.5f, 0.5f);
}

int main() {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  float host[32] = {}, *out;
  cudaArray_t array;
  cudaMallocArray(&array, &format, 32, 1);
  cudaMemcpy2DToArray(array, 0, 0, host, sizeof host, sizeof host, 1, cudaMemcpyHostToDevice);
  cudaResourceDesc from = {};
  from.resType = cudaResourceTypeArray;
  from.res.array.array = array;
  cudaTextureDesc how = {};
  cudaTextureObject_t image = 0;
  cudaCreateTextureObject(&image, &from, &how, nullptr);
  cudaMalloc(&out, 32 * sizeof(float));
  sample<<<1, 32>>>(image, out);
  cudaDeviceSynchronize();
  cudaDestroyTextureObject(image);
  cudaFreeArray(array);
  cudaFree(out);
}
