// CUB: merges of two arrays, runs that a block writes out, a warp's sort of a part of its items, and forms of calls: a selection in
// place, a pair of a wider type than what is found, a transformation with temporary storage. Against loops on the host.
#include <cub/cub.cuh>

#include <algorithm>
#include <cstdio>
#include <vector>

constexpr int threads = 32, runs = 2, items = 3;

struct Runs {
  int item[threads * runs], length[threads * runs];
  int decoded[1024], place[1024], total;
};
__global__ void decode(Runs* r, bool by_lengths) {
  using Decode = cub::BlockRunLengthDecode<int, threads, runs, items>;
  __shared__ typename Decode::TempStorage storage;
  int item[runs], number[runs], out[items];
  unsigned place[items];
  for (int i = 0; i < runs; ++i) item[i] = r->item[threadIdx.x * runs + i];
  for (int i = 0; i < runs; ++i) number[i] = r->length[threadIdx.x * runs + i];
  unsigned total = r->total;
  const auto write = [&](Decode& decode) {
    for (unsigned first = 0; first < total; first += threads * items) {
      decode.RunLengthDecode(out, place, first);
      for (int i = 0; i < items; ++i) {
        const unsigned at = first + threadIdx.x * items + i;
        if (at < total) r->decoded[at] = out[i];
        if (at < total) r->place[at] = place[i];
      }
    }
  };
  if (by_lengths) {
    Decode by_length(storage, item, number, total);
    write(by_length);
    if (threadIdx.x == 0) r->total = total;
  } else {
    Decode by_begin(storage, item, number);
    write(by_begin);
  }
}
int wrong_runs(bool by_lengths) {
  Runs* r;
  cudaMallocManaged(&r, sizeof(Runs));
  std::vector<int> decoded, place;
  for (int i = 0; i < threads * runs; ++i) {
    const int length = i % 7 == 3 ? 0 : i % 5 + i / 20;
    r->item[i] = 100 + i;
    r->length[i] = by_lengths ? length : static_cast<int>(decoded.size());
    decoded.insert(decoded.end(), length, 100 + i);
    for (int k = 0; k < length; ++k) place.push_back(k);
  }
  r->total = by_lengths ? 0 : static_cast<int>(decoded.size());
  decode<<<1, threads>>>(r, by_lengths);
  cudaDeviceSynchronize();
  int wrong = r->total != static_cast<int>(decoded.size());
  for (std::size_t i = 0; i < decoded.size(); ++i) {
    wrong += r->decoded[i] != decoded[i] || r->place[i] != place[i];
  }
  cudaFree(r);
  return wrong;
}

struct ByTens {
  __host__ __device__ bool operator()(int a, int b) const { return a / 10 < b / 10; }
};
__global__ void sort_part(int* keys, int* values, int valid) {
  using Sort = cub::WarpMergeSort<int, items, 32, int>;
  __shared__ typename Sort::TempStorage storage;
  int key[items], value[items];
  Sort sort(storage);
  for (int i = 0; i < items; ++i) key[i] = keys[sort.get_linear_tid() * items + i];
  for (int i = 0; i < items; ++i) value[i] = values[sort.get_linear_tid() * items + i];
  sort.Sort(key, value, ByTens(), valid, 1000);
  for (int i = 0; i < items; ++i) keys[sort.get_linear_tid() * items + i] = key[i];
  for (int i = 0; i < items; ++i) values[sort.get_linear_tid() * items + i] = value[i];
}
int wrong_sorts() {
  int *keys, *values, wrong = 0;
  cudaMallocManaged(&keys, 32 * items * sizeof(int));
  cudaMallocManaged(&values, 32 * items * sizeof(int));
  for (const int valid : {0, 1, 31, 64, 96}) {
    std::vector<int> expected;
    for (int i = 0; i < 32 * items; ++i) keys[i] = i * 37 % 101;
    for (int i = 0; i < 32 * items; ++i) values[i] = i;
    expected.assign(keys, keys + valid);
    std::stable_sort(expected.begin(), expected.end(), ByTens());
    sort_part<<<1, 32>>>(keys, values, valid);
    cudaDeviceSynchronize();
    for (int i = 0; i < valid; ++i) {
      wrong += keys[i] != expected[i] || keys[i] != values[i] * 37 % 101;
    }
    for (int i = valid; i < 32 * items; ++i) wrong += keys[i] != 1000;
  }
  cudaFree(keys);
  cudaFree(values);
  return wrong;
}

template <class T>
struct Managed {
  T* data;
  explicit Managed(int n) { cudaMallocManaged(&data, (n + 1) * sizeof(T)); }
  ~Managed() { cudaFree(data); }
};
template <class Call>
void twice(Call call) {
  size_t bytes = 0;
  call(nullptr, bytes);
  Managed<char> storage(static_cast<int>(bytes));
  call(storage.data, bytes);
  cudaDeviceSynchronize();
}
#define TWICE(FUNCTION, ...) \
  twice([&](void* storage, size_t& bytes) { cub::FUNCTION(storage, bytes, __VA_ARGS__); })

// Equal keys keep their order, those of the first array first.
int wrong_merges(int n, int m) {
  Managed<int> a(n), b(m), from_a(n), from_b(m), keys(n + m), values(n + m);
  std::vector<std::pair<int, int>> expected;
  for (int i = 0; i < n; ++i) a.data[i] = 3 * i / 2;
  for (int i = 0; i < m; ++i) b.data[i] = 2 * i;
  for (int i = 0; i < n; ++i) expected.push_back({a.data[i], from_a.data[i] = i});
  for (int i = 0; i < m; ++i) expected.push_back({b.data[i], from_b.data[i] = 100 + i});
  std::stable_sort(expected.begin(), expected.end(),
                   [](auto x, auto y) { return x.first / 10 < y.first / 10; });
  TWICE(DeviceMerge::MergePairs, a.data, from_a.data, n, b.data, from_b.data, m, keys.data,
        values.data, ByTens());
  int wrong = 0;
  for (int i = 0; i < n + m; ++i) {
    wrong += keys.data[i] != expected[i].first || values.data[i] != expected[i].second;
  }
  TWICE(DeviceMerge::MergeKeys, a.data, n, b.data, m, keys.data);
  return wrong + !std::is_sorted(keys.data, keys.data + n + m);
}

struct IsTwo {
  __host__ __device__ bool operator()(int flag) const { return flag == 2; }
};
struct Twice {
  __host__ __device__ int operator()(const int& x) const { return 2 * x; }
};

int main() {
  std::printf("runs by lengths: %d wrong, by begins: %d wrong\n", wrong_runs(true),
              wrong_runs(false));
  std::printf("sorts of a part: %d wrong\n", wrong_sorts());
  std::printf("merges: %d wrong\n",
              wrong_merges(0, 0) + wrong_merges(0, 5) + wrong_merges(7, 0) + wrong_merges(40, 33));
  Managed<int> data(6), flags(6), number(1);
  for (int i = 0; i < 6; ++i) data.data[i] = 9 - i;
  for (int i = 0; i < 6; ++i) flags.data[i] = i % 3;
  Managed<cub::KeyValuePair<int, double>> least(1);
  TWICE(DeviceReduce::ArgMin, data.data, least.data, 6);
  std::printf("least: %d %g\n", least.data->key, least.data->value);
  TWICE(DeviceTransform::Transform, data.data, data.data, 6, Twice());
  TWICE(DeviceSelect::FlaggedIf, data.data, flags.data, number.data, 6, IsTwo());
  std::printf("flagged: %d, %d %d\n", *number.data, data.data[0], data.data[1]);
}
