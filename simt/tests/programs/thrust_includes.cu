// One header of Thrust brings the names that it brings under nvcc: a sort the policies, extremes, sequences and iterators.
#include <thrust/sort.h>

#include <cstdio>

int main() {
  constexpr int n = 100;
  int* p;
  cudaMallocManaged(&p, 2 * n * sizeof(int));
  int* const q = p + n;
  thrust::sequence(thrust::device, p, p + n, -40);
  thrust::tabulate(thrust::device, q, q + n, thrust::negate<int>());
  thrust::sort(thrust::device, q, q + n);
  const auto ends = thrust::minmax_element(thrust::device, q, q + n);
  std::printf("%d %d\n", *ends.first, *ends.second);

  const thrust::counting_iterator<int> zero(0);
  const auto both = thrust::make_zip_iterator(thrust::make_tuple(p, zero));
  thrust::for_each(thrust::device, both, both + n,
                   thrust::make_zip_function([] __host__ __device__(int& x, int i) { x += i; }));
  thrust::copy_if(thrust::device, zero, zero + n, thrust::make_discard_iterator(),
                  [] __host__ __device__(int i) { return i % 2 == 0; });
  std::printf("%d %d\n", thrust::reduce(thrust::device, p, p + n),
              thrust::transform_reduce(thrust::device, q, q + n, thrust::negate<int>(), 0,
                                       thrust::maximum<int>()));
  cudaFree(p);
}
