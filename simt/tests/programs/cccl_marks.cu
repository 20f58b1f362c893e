// CCCL's names for __host__ and __device__ on the program's own functions: they are then the device's, as with CUDA's keywords.
#include <cstdio>

#include <thrust/device_vector.h>
#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/transform.h>

_CCCL_HOST_DEVICE int twice(int x) {
  return 2 * x;
}
_CCCL_DEVICE int lane_of(int thread) {
  return __shfl_sync(~0u, thread, 3);
}
template <class T>
_CCCL_DEVICE T largest(T x) {
  for (int step = 16; step > 0; step /= 2) x = max(x, __shfl_xor_sync(~0u, x, step));
  return x;
}
struct Mark {
  unsigned* flags;
  static constexpr int bits = 32;
  template <class I>
  _CCCL_HOST_DEVICE void operator()(I i) const {
    NV_IF_TARGET(NV_IS_DEVICE, (atomicOr(&flags[i / bits], 1u << (i % bits));),
                 (flags[i / bits] |= 1u << (i % bits);))
  }
};
// Both sides' function calls a member that only the device has, as in CCCL's own tests of iterators.
class DevicePointer {
 public:
  _CCCL_HOST_DEVICE explicit DevicePointer(int* p) : p_(p) {}
  _CCCL_DEVICE int& operator*() const { return p_[threadIdx.x]; }
  _CCCL_DEVICE DevicePointer& operator+=(int n) {
    p_ += n;
    return *this;
  }
  _CCCL_DEVICE friend bool operator==(DevicePointer a, DevicePointer b) { return a.p_ == b.p_; }

 private:
  int* p_;
};
_CCCL_HOST int on_host(int x) {
  return x + 1;
}
_CCCL_DEVICE int counter = 5;

__global__ void k(int* out, DevicePointer p) {
  const int i = static_cast<int>(threadIdx.x);
  const DevicePointer before = p;
  p += 32;
  *p = twice(i) + largest(i);
  if (i == 0)
    out[0] = lane_of(i), out[1] = before == p, out[2] = counter++;
  else
    lane_of(i);
}
int main() {
  thrust::device_vector<int> out(64 + 32);
  int* const p = thrust::raw_pointer_cast(out.data());
  k<<<1, 32>>>(p, DevicePointer(p + 32));
  int count = 0;
  cudaMemcpyFromSymbol(&count, counter, sizeof count);
  printf("%d %d %d %d %d %d\n", int(out[0]), int(out[1]), int(out[2]), int(out[64]), int(out[95]),
         count);

  thrust::device_vector<unsigned> flags(2);
  thrust::for_each_n(thrust::counting_iterator<unsigned>(3), 40,
                     Mark{thrust::raw_pointer_cast(flags.data())});
  unsigned own[2] = {};
  for (int i = 3; i < 43; ++i) Mark{own}(i);
  printf("%08x %08x %d\n", unsigned(flags[0]), unsigned(flags[1]),
         flags[0] == own[0] && flags[1] == own[1]);
  printf("%d %d\n", on_host(twice(3)), twice(on_host(3)));
}
