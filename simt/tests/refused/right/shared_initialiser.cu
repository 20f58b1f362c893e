// Assigned.
__global__ void k(int* out) {
  __shared__ int total, parts[32];
  static __shared__ float more[4];
  extern __shared__ float dynamic[];
  if (threadIdx.x == 0) total = 0;
  parts[threadIdx.x] = 1;
  more[0] = dynamic[0] = 1;
  __syncthreads();
  *out = total + parts[0];
}
