// CUB's smallest and largest of each type of number, the small floats among them, whole and by segments, and of nothing; radix
// sorts of the small floats; a scan whose first value is of a wider type than the items.
#include <cub/cub.cuh>

#include <cstdint>
#include <cstdio>

constexpr int count = 4, kinds = 4;

template <class T>
void limits(const char* name, bool is_signed) {
  T *in, *out;
  int *offsets, *index;
  cudaMallocManaged(&in, 2 * count * sizeof(T));
  cudaMallocManaged(&out, 3 * kinds * sizeof(T));
  cudaMallocManaged(&offsets, 4 * sizeof(int));
  cudaMallocManaged(&index, sizeof(int));
  // All above zero, then all below: a first value of zero would win one of the two.
  for (int i = 0; i < count; ++i) {
    in[i] = T(static_cast<float>(i + 3));
    in[count + i] = T(static_cast<float>(is_signed ? -i - 3 : i + 7));
  }
  offsets[0] = 0;
  offsets[1] = offsets[2] = count;  // the second segment is empty
  offsets[3] = 2 * count;
  char* storage;
  size_t bytes = 1 << 12;
  cudaMalloc(&storage, bytes);
  cub::DeviceReduce::Min(storage, bytes, in, out, count);
  cub::DeviceReduce::Max(storage, bytes, in + count, out + 1, count);
  cub::DeviceReduce::ArgMin(storage, bytes, in, out + 2, index, 0);
  cub::DeviceReduce::ArgMax(storage, bytes, in, out + 3, index, 0);
  cub::DeviceSegmentedReduce::Min(storage, bytes, in, out + 4, 3, offsets, offsets + 1);
  cub::DeviceSegmentedReduce::Max(storage, bytes, in, out + 8, 3, offsets, offsets + 1);
  cudaDeviceSynchronize();
  std::printf("%s:", name);
  for (const int i : {0, 1, 2, 3, 4, 5, 6, 8, 9, 10}) {
    std::printf(" %g", static_cast<double>(static_cast<float>(out[i])));
  }
  std::printf("\n");
  for (void* p : {static_cast<void*>(in), static_cast<void*>(out), static_cast<void*>(storage),
                  static_cast<void*>(offsets), static_cast<void*>(index)}) {
    cudaFree(p);
  }
}

struct Largest {
  template <class A, class B>
  __host__ __device__ std::common_type_t<A, B> operator()(A a, B b) const {
    return a < b ? b : a;
  }
};

void scan_from_a_wider_value() {
  int* in;
  double* out;
  cudaMallocManaged(&in, 3 * sizeof(int));
  cudaMallocManaged(&out, 3 * sizeof(double));
  for (int i = 0; i < 3; ++i) in[i] = i + 1;
  char* storage;
  size_t bytes = 1 << 12;
  cudaMalloc(&storage, bytes);
  cub::DeviceScan::InclusiveScanInit(storage, bytes, in, out, Largest(), 2.5, 3);
  cudaDeviceSynchronize();
  std::printf("from 2.5: %g %g %g\n", out[0], out[1], out[2]);
  cudaFree(in);
  cudaFree(out);
  cudaFree(storage);
}

// As CUB has them before its third version.
template <class T>
constexpr bool is_float_of_2_bytes = cub::Traits<T>::CATEGORY ==
                                         cub::FLOATING_POINT&& cub::Traits<T>::PRIMITIVE &&
                                     sizeof(typename cub::Traits<T>::UnsignedBits) == 2;
static_assert(is_float_of_2_bytes<__half> && is_float_of_2_bytes<__nv_bfloat16>);
static_assert(cub::Traits<unsigned __int128>::CATEGORY == cub::UNSIGNED_INTEGER);
static_assert(sizeof(cub::Traits<__int128>::UnsignedBits) == 16);

template <class T>
void sort(const char* name) {
  T *in, *out;
  cudaMallocManaged(&in, count * sizeof(T));
  cudaMallocManaged(&out, count * sizeof(T));
  const float numbers[count] = {0.5f, -2, 8, -0.25f};
  for (int i = 0; i < count; ++i) in[i] = T(numbers[i]);
  char* storage;
  size_t bytes = 1 << 12;
  cudaMalloc(&storage, bytes);
  cub::DeviceRadixSort::SortKeys(storage, bytes, in, out, count);
  cudaDeviceSynchronize();
  std::printf("%s sorted:", name);
  for (int i = 0; i < count; ++i) std::printf(" %g", static_cast<float>(out[i]));
  std::printf("\n");
  cudaFree(in);
  cudaFree(out);
  cudaFree(storage);
}

int main() {
  sort<__half>("half");
  sort<__nv_bfloat16>("bfloat16");
  sort<__nv_fp8_e4m3>("e4m3");
  sort<__nv_fp8_e5m2>("e5m2");
  limits<__half>("half", true);
  limits<__nv_bfloat16>("bfloat16", true);
  limits<float>("float", true);
  limits<double>("double", true);
  limits<std::int8_t>("int8", true);
  limits<unsigned short>("uint16", false);
  limits<long long>("int64", true);
  limits<__int128>("int128", true);
  scan_from_a_wider_value();
  std::printf("fp8: %g %g\n",
              static_cast<double>(static_cast<float>(cub::Traits<__nv_fp8_e4m3>::Max())),
              static_cast<double>(static_cast<float>(cub::Traits<__nv_fp8_e5m2>::Lowest())));
}
