// static.
__device__ int outside;
__global__ void k(int* out) {
  static __device__ int counter;
  static int another = 0;
  *out = ++counter + ++another + outside;
}
