// Thrust on the device: vectors, algorithms, fancy iterators, policies, and its memory in kernels.
#include <thrust/adjacent_difference.h>
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_free.h>
#include <thrust/device_malloc.h>
#include <thrust/device_ptr.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/fill.h>
#include <thrust/functional.h>
#include <thrust/gather.h>
#include <thrust/generate.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/discard_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/logical.h>
#include <thrust/partition.h>
#include <thrust/random.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/replace.h>
#include <thrust/reverse.h>
#include <thrust/scan.h>
#include <thrust/scatter.h>
#include <thrust/sequence.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/system/cuda/execution_policy.h>
#include <thrust/system/cuda/vector.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/tuple.h>
#include <thrust/unique.h>
#include <thrust/universal_vector.h>

#include <cstdio>
#include <iostream>
#include <list>
#include <vector>

template <class Vector>
void show(const char* name, const Vector& v) {
  std::printf("%s:", name);
  for (std::size_t i = 0; i < v.size(); ++i) std::printf(" %g", static_cast<double>(v[i]));
  std::printf("\n");
}

struct Saxpy {
  float a;
  __host__ __device__ float operator()(float x, float y) const { return a * x + y; }
};
struct IsOdd {
  __host__ __device__ bool operator()(int x) const { return x % 2 != 0; }
};
struct Descending {
  __device__ bool operator()(int a, int b) const { return a > b; }
};
struct Norm {
  template <class Tuple>
  __host__ __device__ float operator()(const Tuple& t) const {
    return thrust::get<0>(t) * thrust::get<0>(t) + thrust::get<1>(t) * thrust::get<1>(t);
  }
};

__global__ void double_all(int* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= 2;
}
__global__ void sort_in_kernel(int* data, int n, int* sum) {
  thrust::sort(thrust::seq, data, data + n);
  *sum = thrust::reduce(thrust::device, data, data + n);
}

void basics() {
  thrust::host_vector<int> h(10);
  for (int i = 0; i < 10; ++i) h[i] = i * 7 % 10;
  thrust::device_vector<int> d = h;
  thrust::sort(d.begin(), d.end());
  show("sorted", d);
  thrust::stable_sort(d.begin(), d.end(), thrust::greater<int>());
  show("descending", d);
  thrust::sort(thrust::device, d.begin(), d.end(), Descending());
  double_all<<<1, 32>>>(thrust::raw_pointer_cast(d.data()), 10);
  h = d;
  show("kernel", h);
  d[0] = 100;
  d[1] += 5;
  d.push_back(7);
  d.insert(d.begin() + 2, 55);
  d.erase(d.begin() + 3);
  d.resize(13, -1);
  int first = d[0];
  std::printf("first %d size %zu sum %d max %d min at %d\n", first, d.size(),
              thrust::reduce(d.begin(), d.end(), 0, thrust::plus<int>()),
              int(*thrust::max_element(d.begin(), d.end())),
              static_cast<int>(thrust::min_element(d.begin(), d.end()) - d.begin()));
  std::vector<int> out(d.size());
  thrust::copy(d.begin(), d.end(), out.begin());
  std::list<int> list = {3, 1, 2};
  thrust::device_vector<int> from_list(list.begin(), list.end());
  thrust::copy(from_list.begin(), from_list.end(), std::ostream_iterator<int>(std::cout, ","));
  std::cout << " " << out[2] << std::endl;
  thrust::device_vector<double> wider(h.begin(), h.end());
  thrust::device_vector<float> narrower = wider;
  show("converted", narrower);
  std::printf("first %g %g equal %d\n", double(wider[0]), double(wider[1]), int(d == d));
  thrust::device_vector<int> empty;
  std::printf("empty %d %d\n", thrust::reduce(empty.begin(), empty.end()), int(empty.empty()));
}

void transforms() {
  const int n = 8;
  thrust::device_vector<float> x(n), y(n, 1.0f), z(n);
  thrust::sequence(x.begin(), x.end(), 1.0f, 0.5f);
  thrust::transform(x.begin(), x.end(), y.begin(), z.begin(), Saxpy{2.0f});
  show("saxpy", z);
  thrust::transform(x.begin(), x.end(), x.begin(), thrust::negate<float>());
  thrust::for_each(x.begin(), x.end(), [] __device__(float& v) { v = v * v; });
  show("squares", x);
  using namespace thrust::placeholders;
  thrust::transform(x.begin(), x.end(), y.begin(), y.begin(), 10.0f * _1 + _2);
  show("placeholders", y);
  std::printf(
      "dot %g norm %g\n", thrust::inner_product(x.begin(), x.end(), y.begin(), 0.0f),
      thrust::transform_reduce(thrust::make_zip_iterator(thrust::make_tuple(x.begin(), y.begin())),
                               thrust::make_zip_iterator(thrust::make_tuple(x.end(), y.end())),
                               Norm(), 0.0f, thrust::plus<float>()));
  auto squares = thrust::make_transform_iterator(thrust::make_counting_iterator(1),
                                                 [] __host__ __device__(int i) { return i * i; });
  std::printf("squares to 10: %d\n", thrust::reduce(thrust::device, squares, squares + 10));
  thrust::device_vector<int> map = std::vector<int>{3, 1, 0, 2};
  std::printf("permuted %g\n",
              thrust::reduce(thrust::make_permutation_iterator(x.begin(), map.begin()),
                             thrust::make_permutation_iterator(x.begin(), map.end())));
  thrust::device_vector<float> g(4);
  thrust::gather(map.begin(), map.end(), x.begin(), g.begin());
  show("gathered", g);
  thrust::scatter(g.begin(), g.end(), map.begin(), x.begin());
  show("scattered", x);
  thrust::fill(x.begin(), x.begin() + 3, 9.0f);
  thrust::replace(x.begin(), x.end(), 9.0f, 8.0f);
  thrust::reverse(x.begin(), x.end());
  show("reversed", x);
}

void scans_and_keys() {
  thrust::device_vector<int> v(8);
  thrust::sequence(v.begin(), v.end());
  thrust::device_vector<int> r(8);
  thrust::inclusive_scan(v.begin(), v.end(), r.begin());
  show("inclusive", r);
  thrust::exclusive_scan(v.begin(), v.end(), r.begin(), 100, thrust::maximum<int>());
  show("exclusive", r);
  thrust::adjacent_difference(r.begin(), r.end(), v.begin());
  const int keys[] = {1, 1, 2, 2, 2, 3, 1, 1};
  thrust::device_vector<int> k(keys, keys + 8), vals(8, 1), ok(8), ov(8);
  auto ends = thrust::reduce_by_key(k.begin(), k.end(), vals.begin(), ok.begin(), ov.begin());
  ok.resize(ends.first - ok.begin());
  ov.resize(ends.second - ov.begin());
  show("keys", ok);
  show("counts", ov);
  thrust::inclusive_scan_by_key(k.begin(), k.end(), vals.begin(), vals.begin());
  show("by key", vals);
  thrust::sequence(vals.begin(), vals.end());
  thrust::stable_sort_by_key(k.begin(), k.end(), vals.begin());
  show("order", vals);
  thrust::sort_by_key(k.begin(), k.end(), vals.begin(), thrust::greater<int>());
  k.erase(thrust::unique(k.begin(), k.end()), k.end());
  show("unique", k);
  std::printf("bounds %d found %d\n",
              int(thrust::lower_bound(k.begin(), k.end(), 2, thrust::greater<int>()) - k.begin()),
              int(thrust::find(k.begin(), k.end(), 1) - k.begin()));
}

void selections() {
  thrust::device_vector<int> v(10);
  thrust::sequence(v.begin(), v.end());
  thrust::device_vector<int> odd(10);
  auto end = thrust::copy_if(v.begin(), v.end(), odd.begin(), IsOdd());
  odd.resize(end - odd.begin());
  show("odd", odd);
  std::printf("count %d %d all %d any %d\n", int(thrust::count(v.begin(), v.end(), 3)),
              int(thrust::count_if(v.begin(), v.end(), IsOdd())),
              int(thrust::all_of(v.begin(), v.end(), IsOdd())),
              int(thrust::any_of(v.begin(), v.end(), IsOdd())));
  v.erase(thrust::remove_if(v.begin(), v.end(), IsOdd()), v.end());
  show("even", v);
  thrust::partition(odd.begin(), odd.end(), [] __device__(int x) { return x > 4; });
  thrust::device_vector<int> u(15);
  u.erase(thrust::set_union(v.begin(), v.end(), odd.begin(), odd.begin() + 2, u.begin()), u.end());
  std::printf("union %zu\n", u.size());
  const auto both = thrust::minmax_element(v.begin(), v.end());
  std::printf("minmax %d %d\n", int(*both.first), int(*both.second));
}

void memory_and_policies() {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  int* raw;
  cudaMalloc(&raw, 6 * sizeof(int));
  thrust::device_ptr<int> p(raw);
  thrust::fill(thrust::cuda::par.on(stream), p, p + 6, 3);
  thrust::sequence(thrust::device, raw, raw + 3, 10);
  std::printf("device_ptr %d %d\n", int(p[1]), int(*(p + 5)));
  std::printf("par_nosync %d\n", thrust::reduce(thrust::cuda::par_nosync.on(stream), p, p + 6));
  int* sum;
  cudaMallocManaged(&sum, sizeof(int));
  sort_in_kernel<<<1, 1>>>(raw, 6, sum);
  cudaDeviceSynchronize();
  std::printf("in a kernel: %d, first %d\n", *sum, int(p[0]));
  thrust::device_ptr<int> q = thrust::device_malloc<int>(4);
  thrust::uninitialized_fill(q, q + 4, 2);
  std::printf("device_malloc %d\n", thrust::reduce(q, q + 4));
  thrust::device_free(q);
  thrust::universal_vector<int> u(4, 1);
  u[2] = 5;
  thrust::inclusive_scan(u.begin(), u.end(), u.begin());
  double_all<<<1, 4>>>(thrust::raw_pointer_cast(u.data()), 4);
  cudaDeviceSynchronize();
  std::printf("universal %d %d\n", u[2], u[3]);
  thrust::host_vector<int> h(5);
  thrust::generate(h.begin(), h.end(), [n = 0]() mutable { return n += 2; });
  thrust::sort(thrust::host, h.begin(), h.end(), thrust::greater<int>());
  show("host", h);
  thrust::device_vector<float> random(1000);
  thrust::transform(thrust::make_counting_iterator(0), thrust::make_counting_iterator(1000),
                    random.begin(), [] __device__(int i) {
                      thrust::default_random_engine engine(42);
                      thrust::uniform_real_distribution<float> uniform(0.0f, 1.0f);
                      engine.discard(i);
                      return uniform(engine);
                    });
  const float mean = thrust::reduce(random.begin(), random.end()) / 1000;
  std::printf("random %d %.6f\n", int(mean > 0.47f && mean < 0.53f), float(random[1]));
  thrust::device_vector<int> ends{1, 2, 3};
  thrust::device_reference<int> first = ends.front(), last = ends.back();
  first.swap(last);
  std::printf("swapped: %d %d", int(ends[0]), int(ends[2]));
  swap(first, last);
  std::printf(", and again: %d %d\n", int(first), int(last));
  try {
    thrust::device_vector<char> huge(std::size_t{1} << 50);
  } catch (const std::bad_alloc&) {
    std::printf("bad_alloc\n");
  }
  cudaFree(raw);
  cudaFree(sum);
  cudaStreamDestroy(stream);
}

int main() {
  basics();
  transforms();
  scans_and_keys();
  selections();
  memory_and_policies();
  return 0;
}
