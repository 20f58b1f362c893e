// Two kernels give dynamic shared memory one name and two types.
__global__ void floats(float* data) {
  extern __shared__ float tile[];
  tile[threadIdx.x] = data[threadIdx.x];
}
__global__ void ints(int* data) {
  // error: shared variable 'tile' is an array of int here and of float in 'floats'
  extern __shared__ int tile[];
  tile[threadIdx.x] = data[threadIdx.x];
}
