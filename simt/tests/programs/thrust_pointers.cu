// Thrust's smallest headers stand first and alone; with its device pointers come the functions that fill and change what they
// point to, as under nvcc.
#include <thrust/swap.h>

#include <thrust/device_free.h>
#include <thrust/device_malloc.h>

#include <cstdio>

struct Add {
  int n;
  __host__ __device__ void operator()(int& x) const { x += n; }
};

int main() {
  constexpr int n = 50;
  const thrust::device_ptr<int> p = thrust::device_malloc<int>(2 * n);
  thrust::uninitialized_fill(p, p + n, 3);
  thrust::fill(p + n, p + 2 * n, 4);
  thrust::for_each(p, p + n, Add{5});
  thrust::transform(p, p + n, p + n, p + n, thrust::multiplies<int>());
  auto first = p[0], second = p[n];
  first.swap(second);
  thrust::swap_ranges(p + 1, p + 3, p + n + 1);
  std::printf("%d %d %d %d %d\n", int(p[0]), int(p[2]), int(p[3]), int(p[n]), int(p[2 * n - 1]));
  thrust::device_free(p);
}
