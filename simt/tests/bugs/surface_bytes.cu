// The column of a surface is given in elements, where its functions count bytes
template <class T>
__global__ void write_row(cudaSurfaceObject_t s) {
  surf2Dwrite(T{}, s, threadIdx.x, blockIdx.x);
}
__global__ void read_line(cudaSurfaceObject_t s, float* out) {
  out[threadIdx.x] = surf1Dread<float>(s, threadIdx.x);
}
// The size of a float, where the element is a float4.
__global__ void write_layer(cudaSurfaceObject_t s) {
  surf2DLayeredwrite(make_float4(1, 2, 3, 4), s, threadIdx.x * sizeof(float), 1, 0);
}
__global__ void write_volume(cudaSurfaceObject_t s) {
  surf3Dwrite(threadIdx.x, s, 3 * threadIdx.x, 0, 0, cudaBoundaryModeZero);
}
__global__ void left_of(cudaSurfaceObject_t s, short* out) {
  surf2Dread(out + threadIdx.x, s, threadIdx.x * 2 - 1, 0, cudaBoundaryModeClamp);
}

template <class T, class Run>
void on_surface(const Run& run) {
  cudaArray_t array;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
  cudaMalloc3DArray(&array, &format, cudaExtent{32, 4, 2}, cudaArraySurfaceLoadStore);
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t canvas;
  cudaCreateSurfaceObject(&canvas, &resource);
  run(canvas);
  cudaDeviceSynchronize();
  cudaDeviceReset();
}

int main() {
  on_surface<float>([](cudaSurfaceObject_t s) { write_row<float><<<1, 32>>>(s); });
  on_surface<float>([](cudaSurfaceObject_t s) {
    float* out;
    cudaMalloc(&out, 128);
    read_line<<<1, 32>>>(s, out);
  });
  on_surface<float4>([](cudaSurfaceObject_t s) { write_layer<<<1, 32>>>(s); });
  on_surface<unsigned>([](cudaSurfaceObject_t s) { write_volume<<<1, 32>>>(s); });
  on_surface<short>([](cudaSurfaceObject_t s) {
    short* out;
    cudaMalloc(&out, 64);
    left_of<<<1, 32>>>(s, out);
  });
}
