// In a device function, and at file scope.
__shared__ int scratch[32];
__device__ void f(int* out) {
  __shared__ int tile[32];
  tile[threadIdx.x] = scratch[threadIdx.x] = 1;
  *out = tile[0];
}
