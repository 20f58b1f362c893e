// The objects are destroyed when the kernels that use them have ended, and the array after them.
__global__ void copy(cudaTextureObject_t from, cudaSurfaceObject_t to, float* out) {
  const float value = tex2D<float>(from, threadIdx.x + 0.5f, 0.5f);
  surf2Dwrite(2 * value, to, threadIdx.x * 4, 1);
  __syncthreads();
  out[threadIdx.x] = surf2Dread<float>(to, (31 - threadIdx.x) * 4, 1);
}

int main() {
  for (int turn = 0; turn < 3; ++turn) {
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
    copy<<<1, 32>>>(image, canvas, out);
    cudaDeviceSynchronize();
    cudaDestroyTextureObject(image);
    cudaDestroySurfaceObject(canvas);
    cudaFreeArray(array);
    cudaFree(out);
  }
}
