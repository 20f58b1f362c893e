// CUB's device-wide functions with iterators of Thrust: those of a device_vector, whose references are proxies, and those that
// compute what they give.
#include <thrust/device_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>

#include <cub/cub.cuh>
#include <cuda/std/mdspan>
#include <cuda/std/tuple>

#include <cstdio>

using Vector = thrust::device_vector<int>;

template <class Call>
void twice(Call call) {
  size_t bytes = 0;
  call(nullptr, bytes);
  thrust::device_vector<char> storage(bytes);
  call(thrust::raw_pointer_cast(storage.data()), bytes);
}
#define TWICE(FUNCTION, ...) \
  twice([&](void* storage, size_t& bytes) { cub::FUNCTION(storage, bytes, __VA_ARGS__); })

void show(const char* name, const Vector& v) {
  std::printf("%s:", name);
  for (const int x : v) std::printf(" %d", x);
  std::printf("\n");
}

struct Plus {
  template <class T>
  __host__ __device__ T operator()(const T& a, const T& b) const {
    return a + b;
  }
};
struct Smaller {
  template <class T>
  __host__ __device__ bool operator()(const T& a, const T& b) const {
    return a < b;
  }
};
struct Odd {
  __host__ __device__ bool operator()(int x) const { return x % 2 != 0; }
};
struct Double {
  __host__ __device__ int operator()(int x) const { return 2 * x; }
};

struct Squared {
  __host__ __device__ void operator()(int& x) const { x *= x; }
};
struct Flag {
  int value;
  Flag() = default;
  __host__ __device__ Flag(int v) : value(v) {}
  __host__ __device__ operator bool() const { return value > 2; }
};
struct ByFirst {
  template <class T>
  __host__ __device__ bool operator()(const T& a, const T& b) const {
    return cuda::std::get<0>(a) < cuda::std::get<0>(b);
  }
};
template <class T>
struct IdOf {
  T id;
};
template <class T>
__host__ __device__ bool operator==(const IdOf<T>& a, const IdOf<T>& b) {
  return a.id == b.id;
}
using Id = IdOf<int>;
struct Minus {
  template <class T>
  __host__ __device__ T operator()(const T& a, const T& b) const {
    return a - b;
  }
};
struct StoreIndices {
  int* out;
  __device__ void operator()(int i, int x, int y, int z) const { out[i] = 100 * x + 10 * y + z; }
};

// Functions that want references or the elements' own type, not what stands for them.
void functions_with_types() {
  Vector v{3, 1, 2}, out(3), one(1), places(12);
  cub::DeviceFor::ForEachN(v.begin(), 3, Squared());
  TWICE(DeviceFor::ForEach, v.begin(), v.end(), Squared());
  show("squared twice", v);
  cub::DeviceTransform::Transform(
      cuda::std::make_tuple(v.begin(), thrust::counting_iterator<int>(10)), out.begin(), 3, Plus());
  show("of two inputs", out);
  const thrust::device_vector<Flag> flags{Flag{5}, Flag{1}, Flag{3}};
  TWICE(DeviceSelect::Flagged, v.begin(), flags.begin(), out.begin(), one.begin(), 3);
  show("flagged", {out.begin(), out.begin() + one[0]});
  TWICE(DevicePartition::Flagged, v.begin(), flags.begin(), out.begin(), one.begin(), 3);
  show("flagged first", out);
  TWICE(DeviceAdjacentDifference::SubtractRightCopy, v.begin(), out.begin(), 3, Minus());
  show("differences to the right", out);
  TWICE(DeviceAdjacentDifference::SubtractLeft, out.begin(), 3, Minus());
  show("to the left, in place", out);
  const thrust::device_vector<Id> ids{Id{4}, Id{4}, Id{6}};
  thrust::device_vector<Id> unique(3);
  TWICE(DeviceRunLengthEncode::Encode, ids.begin(), unique.begin(), out.begin(), one.begin(), 3);
  show("lengths of structures", {out.begin(), out.begin() + one[0]});
  TWICE(DeviceReduce::ReduceByKey, ids.begin(), unique.begin(), v.begin(), out.begin(), one.begin(),
        Plus(), 3);
  show("by structures", {out.begin(), out.begin() + one[0]});
  using Pair = cuda::std::tuple<int, int>;
  thrust::device_vector<Pair> pairs{Pair(3, 0), Pair(1, 1), Pair(2, 2), Pair(1, 3)};
  TWICE(DeviceMergeSort::SortKeys, pairs.begin(), 4, ByFirst());
  std::printf("tuples:");
  for (const Pair p : pairs) std::printf(" %d", cuda::std::get<1>(p));
  std::printf("\n");
  const cuda::std::extents<int, 3, 2, cuda::std::dynamic_extent> extents(2);
  cub::DeviceFor::ForEachInExtents(extents, StoreIndices{thrust::raw_pointer_cast(places.data())});
  show("indices", places);
}

int main() {
  const Vector in{5, 2, 7, 1, 8, 3}, keys{1, 1, 2, 2, 2, 3}, offsets{0, 2, 6};
  Vector out(6), other(6), one(1);
  TWICE(DeviceReduce::Sum, in.begin(), one.begin(), 6);
  show("sum", one);
  TWICE(DeviceReduce::Reduce, in.begin(), one.begin(), 6, Plus(), 100);
  show("from 100", one);
  TWICE(DeviceReduce::TransformReduce, in.begin(), one.begin(), 6, Plus(), Double(), 1);
  show("doubled", one);
  TWICE(DeviceReduce::Min, in.begin(), one.begin(), 6);
  show("least", one);
  TWICE(DeviceReduce::ReduceByKey, keys.begin(), other.begin(), in.begin(), out.begin(),
        one.begin(), Plus(), 6);
  show("by key", {out.begin(), out.begin() + one[0]});
  TWICE(DeviceSegmentedReduce::Sum, in.begin(), out.begin(), 2, offsets.begin(),
        offsets.begin() + 1);
  show("segments", {out.begin(), out.begin() + 2});
  TWICE(DeviceScan::InclusiveSum, in.begin(), out.begin(), 6);
  show("inclusive", out);
  TWICE(DeviceScan::ExclusiveScan, in.begin(), out.begin(), Plus(), 10, 6);
  show("exclusive", out);
  TWICE(DeviceScan::InclusiveScanInit, in.begin(), out.begin(), Plus(), 10, 6);
  show("inclusive from 10", out);
  TWICE(DeviceScan::ExclusiveSumByKey, keys.begin(), in.begin(), out.begin(), 6);
  show("scan by key", out);
  TWICE(DeviceSelect::If, in.begin(), out.begin(), one.begin(), 6, Odd());
  show("odd", {out.begin(), out.begin() + one[0]});
  TWICE(DeviceSelect::Unique, keys.begin(), out.begin(), one.begin(), 6);
  show("unique", {out.begin(), out.begin() + one[0]});
  TWICE(DevicePartition::If, in.begin(), out.begin(), one.begin(), 6, Odd());
  show("partition", out);
  TWICE(DeviceRunLengthEncode::Encode, keys.begin(), other.begin(), out.begin(), one.begin(), 6);
  show("lengths", {out.begin(), out.begin() + one[0]});
  out = in;
  other = keys;
  TWICE(DeviceMergeSort::SortPairs, out.begin(), other.begin(), 6, Smaller());
  show("sorted", out);
  show("moved", other);
  TWICE(DeviceAdjacentDifference::SubtractLeftCopy, in.begin(), out.begin(), 6);
  show("differences", out);
  const auto squares = thrust::make_transform_iterator(thrust::counting_iterator<int>(1), Double());
  TWICE(DeviceReduce::Sum, squares, one.begin(), 10);
  show("computed", one);
  TWICE(DeviceScan::InclusiveSum, in.begin(),
        thrust::make_transform_output_iterator(out.begin(), Double()), 6);
  show("computed on the way out", out);
  cub::DeviceFor::ForEach(in.begin(), in.end(), [] __device__(int) {});
  cub::DeviceTransform::Transform(in.begin(), out.begin(), 6, Double());
  show("transformed", out);
  functions_with_types();
}
