// libcu++ on the host: a pipeline's copies are done at once, a barrier and a latch of one arrival let their thread go on; and
// what CUB's own tests need: its traits, and classes defined by their full name.
#include <cub/util_type.cuh>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>

#include <cstdio>
#include <cstring>
namespace outer::inner {
template <class T>
struct Traits {
  static constexpr int value = 1;
};
}  // namespace outer::inner
struct Own {};
template <>
struct ::outer::inner::Traits<Own> {
  static constexpr int value = 2;
};
struct Base {
  static constexpr int more = 3;
};
template <>
struct ::outer::inner::Traits<Base> : Base {};
template <>
struct CUB_NS_QUALIFIER::NumericTraits<Own> : Base {};
template <class T>
bool keys_have_the_order_of(T a, T b) {
  using Traits = cub::Traits<T>;
  typename Traits::UnsignedBits x, y;
  std::memcpy(&x, &a, sizeof x);
  std::memcpy(&y, &b, sizeof y);
  return Traits::TwiddleIn(x) < Traits::TwiddleIn(y) &&
         Traits::TwiddleOut(Traits::TwiddleIn(x)) == x;
}
cuda::atomic<int> counter = LIBCUDACXX_ATOMIC_VAR_INIT(4);
cuda::std::atomic_flag flag = LIBCUDACXX_ATOMIC_FLAG_INIT;
__host__ __device__ int copied(const int* in) {
  int out[4] = {};
  auto pipe = cuda::make_pipeline();
  pipe.producer_acquire();
  cuda::memcpy_async(out, in, sizeof out, pipe);
  pipe.producer_commit();
  pipe.consumer_wait();
  const int sum = out[0] + out[3];
  pipe.consumer_release();
  return sum;
}
__global__ void k(const int* in, int* out) {
  *out = copied(in);
}
int main() {
  int* data;
  cudaMallocManaged(&data, 5 * sizeof(int));
  for (int i = 0; i < 4; ++i) data[i] = 10 * i + 1;
  k<<<1, 1>>>(data, data + 4);
  cudaDeviceSynchronize();
  cuda::barrier<cuda::thread_scope_system> bar(1);
  bar.arrive_and_wait();
  cuda::latch<cuda::thread_scope_system> latch(1);
  latch.arrive_and_wait();
  const bool keys = keys_have_the_order_of(-1, 2) && keys_have_the_order_of(-2.5f, -1.5f) &&
                    keys_have_the_order_of(-0.5, 0.5) && keys_have_the_order_of(3u, 4u);
  printf("%d %d, %d %d\n", keys, cub::Traits<Own>::more, counter.load(), flag.test_and_set());
  using outer::inner::Traits;
  printf("%d %d, %d %d %d\n", data[4], copied(data), Traits<int>::value, Traits<Own>::value,
         Traits<Base>::more);
  cudaFree(data);
}
