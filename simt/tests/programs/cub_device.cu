// CUB's device-wide functions, with their protocol of two calls.
#include <cub/cub.cuh>

#include <cstdio>
#include <initializer_list>
#include <limits>
#include <vector>

template <class T>
struct Array {
  T* data;
  int size;

  explicit Array(int n) : size(n) { cudaMalloc(&data, n * sizeof(T)); }
  Array(std::initializer_list<T> list) : Array(static_cast<int>(list.size())) {
    cudaMemcpy(data, list.begin(), size * sizeof(T), cudaMemcpyHostToDevice);
  }
  ~Array() { cudaFree(data); }
  std::vector<T> host(int n) const {
    std::vector<T> result(n);
    cudaMemcpy(result.data(), data, n * sizeof(T), cudaMemcpyDeviceToHost);
    return result;
  }
  void show(const char* name, int n) const {
    std::printf("%s:", name);
    for (const T& v : host(n)) std::printf(" %g", static_cast<double>(v));
    std::printf("\n");
  }
};

// Runs a function twice, as programs do.
template <class Call>
void twice(const char* name, Call call) {
  void* storage = nullptr;
  size_t bytes = 0;
  const cudaError_t asked = call(storage, bytes);
  if (asked != cudaSuccess || bytes == 0) std::printf("%s: no size\n", name);
  cudaMalloc(&storage, bytes);
  const cudaError_t ran = call(storage, bytes);
  if (ran != cudaSuccess) std::printf("%s: %s\n", name, cudaGetErrorString(ran));
  cudaFree(storage);
}
#define TWICE(FUNCTION, ...) \
  twice(#FUNCTION, [&](void* s, size_t& b) { return cub::FUNCTION(s, b, __VA_ARGS__); })

struct CustomMin {
  template <class T>
  __device__ __forceinline__ T operator()(const T& a, const T& b) const {
    return (b < a) ? b : a;
  }
};
struct Less {
  int limit;
  __host__ __device__ bool operator()(const int& a) const { return a < limit; }
};
struct Square {
  __host__ __device__ int operator()(int x) const { return x * x; }
};

void reductions() {
  Array<int> in{8, 6, 7, 5, 3, 0, 9}, out(4);
  TWICE(DeviceReduce::Sum, in.data, out.data, 7);
  TWICE(DeviceReduce::Min, in.data, out.data + 1, 7);
  TWICE(DeviceReduce::Max, in.data, out.data + 2, 7);
  TWICE(DeviceReduce::Reduce, in.data, out.data + 3, 7, CustomMin(), INT_MAX);
  out.show("sum min max custom", 4);
  Array<cub::KeyValuePair<int, int>> arg(2);
  TWICE(DeviceReduce::ArgMin, in.data, arg.data, 7);
  TWICE(DeviceReduce::ArgMax, in.data, arg.data + 1, 7);
  for (const auto& pair : arg.host(2)) std::printf("arg %d %d\n", pair.key, pair.value);
  Array<int> keys{0, 2, 2, 9, 5, 5, 5, 8}, values{0, 7, 1, 6, 2, 5, 3, 4};
  Array<int> unique(8), sums(8), runs(1);
  TWICE(DeviceReduce::ReduceByKey, keys.data, unique.data, values.data, sums.data, runs.data,
        cub::Sum(), 8);
  runs.show("runs", 1);
  unique.show("unique", 5);
  sums.show("sums", 5);
  TWICE(DeviceRunLengthEncode::Encode, keys.data, unique.data, sums.data, runs.data, 8);
  sums.show("lengths", 5);
  Array<int> offsets{0, 3, 3, 7};
  TWICE(DeviceSegmentedReduce::Sum, in.data, out.data, 3, offsets.data, offsets.data + 1);
  out.show("segments", 3);
  cub::TransformInputIterator<int, Square, cub::CountingInputIterator<int>> squares(
      cub::CountingInputIterator<int>(1), Square());
  TWICE(DeviceReduce::Sum, squares, out.data, 10);
  out.show("squares", 1);
  const int n = 1 << 25;  // a plain float sum would stop at 2^24
  Array<float> total(1);
  TWICE(DeviceReduce::Sum, cub::ConstantInputIterator<float>(1.0f), total.data, n);
  total.show("ones", 1);
}

void scans() {
  Array<int> in{8, 6, 7, 5, 3, 0, 9}, out(7);
  TWICE(DeviceScan::ExclusiveSum, in.data, out.data, 7);
  out.show("exclusive", 7);
  TWICE(DeviceScan::InclusiveSum, in.data, out.data, 7);
  out.show("inclusive", 7);
  TWICE(DeviceScan::ExclusiveScan, in.data, out.data, CustomMin(), INT_MAX, 7);
  out.show("exclusive min", 7);
  TWICE(DeviceScan::InclusiveScan, in.data, out.data, cub::Max(), 7);
  out.show("inclusive max", 7);
  Array<int> keys{0, 0, 1, 1, 1, 2, 2};
  TWICE(DeviceScan::ExclusiveSumByKey, keys.data, in.data, out.data, 7);
  out.show("by key", 7);
  TWICE(DeviceScan::ExclusiveSum, in.data, 7);
  in.show("in place", 7);
}

void sorts() {
  Array<float> keys{8.5f, -6, 7, -0.0f, 3, 0, -9}, sorted(7);
  Array<int> values{0, 1, 2, 3, 4, 5, 6}, moved(7);
  TWICE(DeviceRadixSort::SortPairs, keys.data, sorted.data, values.data, moved.data, 7);
  sorted.show("sorted", 7);
  moved.show("moved", 7);
  TWICE(DeviceRadixSort::SortKeysDescending, keys.data, sorted.data, 7);
  sorted.show("descending", 7);
  Array<int> a{300, -1, 45, 1000000, 45, -70000}, b(6);
  cub::DoubleBuffer<int> buffers(a.data, b.data);
  TWICE(DeviceRadixSort::SortKeys, buffers, 6);
  std::vector<int> host(6);
  cudaMemcpy(host.data(), buffers.Current(), 6 * sizeof(int), cudaMemcpyDeviceToHost);
  std::printf("double buffer: %d %d %d %d\n", host[0], host[1], host[2], host[5]);
  Array<unsigned> u{0x105, 0x203, 0x301, 0x104}, su(4);
  TWICE(DeviceRadixSort::SortKeys, u.data, su.data, 4, 0, 4);
  su.show("low bits", 4);
  Array<int> offsets{0, 3, 7}, seg{8, 6, 7, 5, 3, 0, 9}, out(7);
  TWICE(DeviceSegmentedSort::SortKeys, seg.data, out.data, 7, 2, offsets.data, offsets.data + 1);
  out.show("segments", 7);
  TWICE(DeviceMergeSort::SortKeys, seg.data, 7, [] __device__(int x, int y) { return x > y; });
  seg.show("merge sort", 7);
}

void selections() {
  Array<int> in{8, 6, 7, 5, 3, 0, 9, 9}, out(8), chosen(1);
  Array<char> flags{1, 0, 0, 1, 0, 1, 1, 0};
  TWICE(DeviceSelect::Flagged, in.data, flags.data, out.data, chosen.data, 8);
  out.show("flagged", chosen.host(1)[0]);
  TWICE(DeviceSelect::If, in.data, out.data, chosen.data, 8, Less{7});
  out.show("less than 7", chosen.host(1)[0]);
  TWICE(DeviceSelect::Unique, in.data, out.data, chosen.data, 8);
  chosen.show("unique", 1);
  TWICE(DevicePartition::If, in.data, out.data, chosen.data, 8, Less{7});
  out.show("partition", 8);
  Array<float> samples{2.2f, 6.1f, 7.1f, 2.9f, 3.5f, 0.3f, 2.9f, 2.1f, 6.1f, 999.5f};
  Array<int> histogram(6);
  TWICE(DeviceHistogram::HistogramEven, samples.data, histogram.data, 7, 0.0f, 12.0f, 10);
  histogram.show("histogram", 6);
  Array<float> levels{0, 2, 4, 6, 8, 12, 16};
  TWICE(DeviceHistogram::HistogramRange, samples.data, histogram.data, 7, levels.data, 10);
  histogram.show("range", 6);
  int* data = in.data;
  cub::DeviceFor::Bulk(8, [data] __device__(int i) { data[i] += i; });
  in.show("bulk", 8);
  cub::CachingDeviceAllocator allocator(true);
  void* room = nullptr;
  CubDebugExit(allocator.DeviceAllocate(&room, 100));
  size_t too_small = 0;
  std::printf("too little storage: %d\n",
              cub::DeviceRadixSort::SortKeys(room, too_small, in.data, out.data, 8) ==
                  cudaErrorInvalidValue);
  CubDebugExit(allocator.DeviceFree(room));
}

int main() {
  reductions();
  scans();
  sorts();
  selections();
  return 0;
}
