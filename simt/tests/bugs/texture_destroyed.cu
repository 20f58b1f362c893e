// Texture and surface objects are used after they, or the array behind them, were destroyed; and one is destroyed twice
__global__ void filtered(cudaTextureObject_t t, float* out) {
  out[threadIdx.x] = tex2D<float>(t, threadIdx.x + 0.5f, 0.5f);
}
__global__ void layer(cudaTextureObject_t t, float* out) {
  out[threadIdx.x] = tex2DLayered<float>(t, threadIdx.x + 0.5f, 0.5f, 0);
}
__global__ void fetched(cudaTextureObject_t t, float* out) {
  out[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x);
}
__global__ void written(cudaSurfaceObject_t s) {
  surf2Dwrite(1.0f, s, threadIdx.x * 4, 0);
}
__global__ void read(cudaSurfaceObject_t s, float* out) {
  out[threadIdx.x] = surf2Dread<float>(s, threadIdx.x * 4, 0);
}
__global__ void of_array(cudaTextureObject_t t, float* out) {
  out[threadIdx.x] = tex2D<float>(t, threadIdx.x + 0.5f, 0.5f);
}

int main() {
  for (int bug = 0; bug < 7; ++bug) {
    float *out, host[32][32] = {};
    cudaMalloc(&out, 32 * sizeof(float));
    cudaArray_t array;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaMallocArray(&array, &format, 32, 32, cudaArraySurfaceLoadStore);
    cudaMemcpy2DToArray(array, 0, 0, host, 128, 128, 32, cudaMemcpyHostToDevice);
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    const cudaTextureDesc how{};
    cudaTextureObject_t image;
    cudaCreateTextureObject(&image, &resource, &how, nullptr);
    cudaSurfaceObject_t canvas;
    cudaCreateSurfaceObject(&canvas, &resource);
    if (bug == 5) {
      cudaFreeArray(array);
      of_array<<<1, 32>>>(image, out);
    }
    cudaDestroyTextureObject(image);
    cudaDestroySurfaceObject(canvas);
    if (bug == 0) filtered<<<1, 32>>>(image, out);
    if (bug == 1) layer<<<1, 32>>>(image, out);
    if (bug == 2) fetched<<<1, 32>>>(image, out);
    if (bug == 3) written<<<1, 32>>>(canvas);
    if (bug == 4) read<<<1, 32>>>(canvas, out);
    if (bug == 6) cudaDestroySurfaceObject(canvas);
    cudaDeviceSynchronize();
    cudaDeviceReset();
  }
}
