// A caller's own comparison: the templates of merge_sort sort pairs by it, stable, as std::stable_sort does.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

#include "ops/order/merge_sort/sort_tile.cuh"

using namespace warpath;
using namespace warpath::merge_sort;

// Even keys come first, then those with the larger last digit; keys that agree in both are equal.
struct Rank {
  bool odd;
  int digit;
  __host__ __device__ bool operator<(Rank other) const {
    return odd != other.odd ? other.odd : digit > other.digit;
  }
};
struct EvenFirst {
  __host__ __device__ Rank rank(int key) const { return {key % 2 != 0, key % 10}; }
  // A key that no other comes after.
  template <class T>
  __device__ T last() const {
    return 1;
  }
};

constexpr int threads = 64, items = 5, tile = threads * items;

__global__ void sort_tiles(Sequence<int> from, Sequence<int> to, std::int64_t n, EvenFirst order) {
  __shared__ TileSlots<int, threads, items, true> slots;
  sort_tile(slots, from, to, std::int64_t(blockIdx.x) * tile, n, order);
}

__global__ void merge_tiles(Sequence<int> from, Sequence<int> to, std::int64_t n, std::int64_t run,
                            EvenFirst order) {
  __shared__ TileSlots<int, threads, items, true> slots;
  const std::int64_t first = std::int64_t(blockIdx.x) * tile;
  const std::int64_t end = first + tile < n ? first + tile : n;
  const Runs runs = Runs::at(first, run, n);
  const auto from_a = [&](std::int64_t output) {
    return co_rank(output - runs.begin, from.keys + runs.begin, runs.middle - runs.begin,
                   from.keys + runs.middle, runs.end - runs.middle, order);
  };
  const std::int64_t a = from_a(first), end_a = from_a(end);
  const std::int64_t b = first - runs.begin - a, end_b = end - runs.begin - end_a;
  merge_tile(slots, from.keys + runs.begin + a, from.values + runs.begin + a, int(end_a - a),
             from.keys + runs.middle + b, from.values + runs.middle + b, int(end_b - b),
             to.keys + first, to.values + first, order);
}

int main() {
  const int n = 2003;  // seven tiles, of which the last is not full
  std::vector<int> keys(n), expected(n);
  unsigned state = 1;
  for (int& key : keys) key = int((state = state * 1664525u + 1013904223u) >> 16);
  std::iota(expected.begin(), expected.end(), 0);
  const EvenFirst order;
  std::stable_sort(expected.begin(), expected.end(),
                   [&](int i, int j) { return order.rank(keys[i]) < order.rank(keys[j]); });

  int* memory = nullptr;
  if (cudaMalloc(&memory, 6 * n * sizeof(int)) != cudaSuccess) return 1;
  const Sequence<int> in{memory, memory + n};
  Sequence<int> now{memory + 2 * n, memory + 3 * n}, next{memory + 4 * n, memory + 5 * n};
  std::vector<int> places(n);
  std::iota(places.begin(), places.end(), 0);
  cudaMemcpy(in.keys, keys.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(in.values, places.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  const int blocks = (n + tile - 1) / tile;
  sort_tiles<<<blocks, threads>>>(in, now, n, order);
  for (std::int64_t run = tile; run < n; run *= 2) {
    merge_tiles<<<blocks, threads>>>(now, next, n, run, order);
    std::swap(now, next);
  }
  std::vector<int> sorted(n);
  cudaMemcpy(sorted.data(), now.keys, n * sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpy(places.data(), now.values, n * sizeof(int), cudaMemcpyDeviceToHost);
  const cudaError_t error = cudaGetLastError();
  cudaFree(memory);
  if (error != cudaSuccess) {
    std::printf("%s\n", cudaGetErrorString(error));
    return 1;
  }
  for (int i = 0; i < n; ++i)
    if (places[i] != expected[i] || sorted[i] != keys[expected[i]]) {
      std::printf("place %d has element %d, not %d\n", i, places[i], expected[i]);
      return 1;
    }
  std::printf("%d pairs in order\n", n);
  return 0;
}
