// A function marked _CCCL_HOST is the host's, one marked _CCCL_DEVICE the device's, wherever CCCL's names stand.
#include <thrust/device_vector.h>

_CCCL_HOST int on_host(int x) {
  return x + 1;
}
_CCCL_DEVICE int on_device(int x) {
  return x - 1;
}
__global__ void k(int* p) {
  *p = on_host(*p);
}
int main() {
  thrust::device_vector<int> v(1);
  k<<<1, 1>>>(thrust::raw_pointer_cast(v.data()));
  return on_device(v[0]);
}
