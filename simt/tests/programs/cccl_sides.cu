// NV_IF_TARGET and NV_DISPATCH_TARGET in the program's file: the host runs the host's side and a kernel the device's.
#include <cstdio>

#include <nv/target>
__host__ __device__ int bits(unsigned x) {
  int n = 0;
  NV_IF_ELSE_TARGET(NV_IS_DEVICE, (n = 1000 + __popc(x);), (for (; x != 0; x &= x - 1)++ n;))
  return n;
}
struct Where {
  __host__ __device__ static const char* name() {
    NV_DISPATCH_TARGET(NV_PROVIDES_SM_90, (return "sm_90";), NV_IS_DEVICE, (return "device";),
                       NV_IS_HOST, (return "host";))
    return "nowhere";
  }
};
__device__ int only_device(int x) {
  return __shfl_sync(~0u, x, 3);
}
template <class T>
__host__ __device__ T broadcast(T x) {
  NV_IF_TARGET(NV_IS_DEVICE, (return only_device(x);))
  return -x;
}
__global__ void k(int* out) {
  const int third = broadcast(int(threadIdx.x));
  if (threadIdx.x == 0) out[0] = bits(0xff), out[1] = Where::name()[0], out[2] = third;
}
int main() {
  int* out;
  cudaMallocManaged(&out, 3 * sizeof(int));
  k<<<1, 32>>>(out);
  cudaDeviceSynchronize();
  printf("%d %c %d\n%d %c %d\n", out[0], out[1], out[2], bits(0xff), Where::name()[0],
         broadcast(3));
  cudaFree(out);
}
