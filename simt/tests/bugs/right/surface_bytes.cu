// The column times the size of the element; a surface of bytes needs no factor.
template <class T>
__global__ void write_row(cudaSurfaceObject_t s) {
  surf2Dwrite(T{}, s, threadIdx.x * sizeof(T), blockIdx.x);
}
__global__ void read_line(cudaSurfaceObject_t s, float* out) {
  out[threadIdx.x] = surf1Dread<float>(s, threadIdx.x * sizeof(float));
}
__global__ void write_layer(cudaSurfaceObject_t s) {
  surf2DLayeredwrite(make_float4(1, 2, 3, 4), s, threadIdx.x * sizeof(float4), 1, 0);
}
__global__ void write_volume(cudaSurfaceObject_t s) {
  surf3Dwrite(threadIdx.x, s, 3 * threadIdx.x * sizeof(int), 0, 0, cudaBoundaryModeZero);
}
__global__ void left_of(cudaSurfaceObject_t s, short* out) {
  surf2Dread(out + threadIdx.x, s, int(threadIdx.x - 1) * int(sizeof(short)), 0,
             cudaBoundaryModeClamp);
}
// Two floats of a float4 are a place of their own.
__global__ void halves(cudaSurfaceObject_t s) {
  surf2Dwrite(make_float2(1, 2), s, threadIdx.x * sizeof(float2), 0);
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
  cudaDestroySurfaceObject(canvas);
  cudaFreeArray(array);
}

int main() {
  on_surface<float>([](cudaSurfaceObject_t s) {
    write_row<float><<<4, 32>>>(s);
    float* out;
    cudaMalloc(&out, 128);
    read_line<<<1, 32>>>(s, out);
    cudaFree(out);
  });
  on_surface<char>([](cudaSurfaceObject_t s) { write_row<char><<<4, 32>>>(s); });
  on_surface<float4>([](cudaSurfaceObject_t s) {
    write_layer<<<1, 32>>>(s);
    halves<<<1, 64>>>(s);
  });
  on_surface<unsigned>([](cudaSurfaceObject_t s) { write_volume<<<1, 32>>>(s); });
  on_surface<short>([](cudaSurfaceObject_t s) {
    write_row<short><<<4, 32>>>(s);
    short* out;
    cudaMalloc(&out, 64);
    left_of<<<1, 32>>>(s, out);
    cudaFree(out);
  });
}
