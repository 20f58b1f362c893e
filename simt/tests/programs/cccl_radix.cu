// CUB's radix sorts of structures that a function takes apart into numbers, of the device and of a block: whole and by some of the
// bits, up and down, with double buffers, against a stable sort on the host.
#include <cub/cub.cuh>

#include <cuda/std/tuple>

#include <algorithm>
#include <cstdio>
#include <vector>

struct Particle {
  short cell;
  float energy;
  bool operator==(const Particle& b) const { return cell == b.cell && energy == b.energy; }
};
struct Parts {
  __host__ __device__ cuda::std::tuple<float&, short&> operator()(Particle& p) const {
    return {p.energy, p.cell};
  }
};
bool less(const Particle& a, const Particle& b) {
  return a.energy != b.energy ? a.energy < b.energy : a.cell < b.cell;
}
bool more(const Particle& a, const Particle& b) {
  return less(b, a);
}
// The low byte of the cell, which is the least significant number.
bool less_by_byte(const Particle& a, const Particle& b) {
  return (a.cell & 255) < (b.cell & 255);
}
// The high byte of the cell and the low byte of the energy's bits.
unsigned across(const Particle& p) {
  unsigned bits;
  memcpy(&bits, &p.energy, sizeof bits);
  bits = (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
  return (bits & 255) << 8 | ((static_cast<unsigned short>(p.cell) ^ 0x8000u) >> 8);
}
bool less_across(const Particle& a, const Particle& b) {
  return across(a) < across(b);
}

constexpr int threads = 32, items = 4, count = threads * items;

__global__ void sort_block(const Particle* in, Particle* out, int* places, bool descending) {
  using Sort = cub::BlockRadixSort<Particle, threads, items, int>;
  __shared__ typename Sort::TempStorage storage;
  Particle key[items];
  int place[items];
  for (int i = 0; i < items; ++i) key[i] = in[place[i] = threadIdx.x * items + i];
  if (descending) {
    Sort(storage).SortDescending(key, place, Parts());
  } else {
    Sort(storage).Sort(key, place, Parts(), 0, 48);
  }
  for (int i = 0; i < items; ++i) out[threadIdx.x * items + i] = key[i];
  for (int i = 0; i < items; ++i) places[threadIdx.x * items + i] = place[i];
}

template <class Call>
void twice(Call call) {
  size_t bytes = 0;
  call(nullptr, bytes);
  char* storage;
  cudaMalloc(&storage, bytes);
  call(storage, bytes);
  cudaDeviceSynchronize();
  cudaFree(storage);
}

int main() {
  Particle *in, *out;
  int *from, *place;
  cudaMallocManaged(&in, count * sizeof(Particle));
  cudaMallocManaged(&out, count * sizeof(Particle));
  cudaMallocManaged(&from, count * sizeof(int));
  cudaMallocManaged(&place, count * sizeof(int));
  std::vector<Particle> start(count);
  for (int i = 0; i < count; ++i) {
    start[i] = {static_cast<short>(i * 7919 % 1000 - 500), (i * 31 % 17 - 8) * 1.37f};
  }
  const auto wrong = [&](auto order, const Particle* sorted, const int* places) {
    std::vector<Particle> expected = start;
    std::stable_sort(expected.begin(), expected.end(), order);
    int bad = 0;
    for (int i = 0; i < count; ++i) {
      bad += !(sorted[i] == expected[i]) || !(start[places[i]] == sorted[i]);
    }
    return bad;
  };
  const auto fill = [&] {
    std::copy(start.begin(), start.end(), in);
    for (int i = 0; i < count; ++i) from[i] = i;
  };
  fill();
  twice([&](void* s, size_t& b) {
    cub::DeviceRadixSort::SortPairs(s, b, in, out, from, place, count, Parts());
  });
  std::printf("device: %d wrong\n", wrong(less, out, place));
  twice([&](void* s, size_t& b) {
    cub::DeviceRadixSort::SortPairsDescending(s, b, in, out, from, place, count, Parts());
  });
  std::printf("descending: %d wrong\n", wrong(more, out, place));
  twice([&](void* s, size_t& b) {
    cub::DeviceRadixSort::SortPairs(s, b, in, out, from, place, count, Parts(), 0, 8);
  });
  std::printf("one byte: %d wrong\n", wrong(less_by_byte, out, place));
  twice([&](void* s, size_t& b) {
    cub::DeviceRadixSort::SortPairs(s, b, in, out, from, place, count, Parts(), 8, 24);
  });
  std::printf("across two numbers: %d wrong\n", wrong(less_across, out, place));
  cub::DoubleBuffer<Particle> keys(in, out);
  cub::DoubleBuffer<int> values(from, place);
  twice([&](void* s, size_t& b) {
    cub::DeviceRadixSort::SortPairs(s, b, keys, values, count, Parts());
  });
  std::printf("double buffers: %d wrong\n", wrong(less, keys.Current(), values.Current()));
  fill();
  twice([&](void* s, size_t& b) {
    cub::DeviceRadixSort::SortKeysDescending(s, b, in, out, count, Parts());
  });
  twice([&](void* s, size_t& b) { cub::DeviceRadixSort::SortKeys(s, b, out, in, count, Parts()); });
  for (int i = 0; i + 1 < count; ++i) from[i] = more(in[i], in[i + 1]) || less(out[i], out[i + 1]);
  std::printf("keys: %d wrong\n", static_cast<int>(std::count(from, from + count - 1, 1)));
  fill();
  for (const bool descending : {false, true}) {
    sort_block<<<1, threads>>>(in, out, place, descending);
    cudaDeviceSynchronize();
    std::printf("block: %d wrong\n",
                descending ? wrong(more, out, place) : wrong(less, out, place));
  }
  for (void* p : {static_cast<void*>(in), static_cast<void*>(out), static_cast<void*>(from),
                  static_cast<void*>(place)}) {
    cudaFree(p);
  }
}
