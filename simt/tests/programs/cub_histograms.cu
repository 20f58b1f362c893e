// CUB's histograms of several channels, with even and given bins: arrays, pointers and cuda::std::arrays of what belongs to
// each channel, rows that lie apart, against a loop on the host.
#include <cub/cub.cuh>

#include <cstdint>
#include <cstdio>
#include <cuda/std/array>
#include <vector>

constexpr int channels = 4, active = 3;
constexpr int levels[active] = {9, 5, 14};

template <class T>
T* managed(std::size_t count) {
  T* p;
  cudaMallocManaged(&p, count * sizeof(T));
  return p;
}

// Counts of the bins [boundary i, boundary i + 1) of each channel.
template <class Sample, class Level>
std::vector<int> on_host(const Sample* samples, const Level* const* boundaries, int pixels,
                         int rows, int stride) {
  std::vector<int> counts;
  for (int channel = 0; channel < active; ++channel) {
    for (int bin = 0; bin + 1 < levels[channel]; ++bin) {
      int count = 0;
      for (int row = 0; row < rows; ++row) {
        for (int pixel = 0; pixel < pixels; ++pixel) {
          const auto x = static_cast<Level>(samples[row * stride + pixel * channels + channel]);
          count += x >= boundaries[channel][bin] && x < boundaries[channel][bin + 1];
        }
      }
      counts.push_back(count);
    }
  }
  return counts;
}

template <class Sample, class Level, class Offset>
void test(const char* name) {
  constexpr int pixels = 37, rows = 5, stride = pixels * channels + 12;
  Sample* const samples = managed<Sample>(stride * rows);
  for (int i = 0; i < stride * rows; ++i) samples[i] = static_cast<Sample>(i * 29 % 101);

  int* counts[active];
  Level* boundaries[active];
  const Level* given[active];
  Level lower[active], upper[active];
  for (int channel = 0; channel < active; ++channel) {
    const int n = levels[channel];
    counts[channel] = managed<int>(n - 1);
    given[channel] = boundaries[channel] = managed<Level>(n);
    lower[channel] = static_cast<Level>(10 + channel);
    upper[channel] = static_cast<Level>(10 + channel + 6 * (n - 1));
    for (int i = 0; i < n; ++i) boundaries[channel][i] = static_cast<Level>(10 + channel + 6 * i);
  }
  int wrong = 0;
  const auto check = [&](int row_count, auto call) {
    for (int channel = 0; channel < active; ++channel) {
      for (int i = 0; i + 1 < levels[channel]; ++i) counts[channel][i] = -1;
    }
    std::size_t bytes = 0;
    wrong += call(nullptr, bytes) != cudaSuccess;
    void* const storage = managed<char>(bytes);
    wrong += call(storage, bytes) != cudaSuccess;
    cudaDeviceSynchronize();
    const std::vector<int> want = on_host(samples, given, pixels, row_count, stride);
    std::size_t at = 0;
    for (int channel = 0; channel < active; ++channel) {
      for (int i = 0; i + 1 < levels[channel]; ++i) wrong += counts[channel][i] != want[at++];
    }
    cudaFree(storage);
  };
  const auto both = [&](auto counters, auto level_counts, auto low, auto high, auto bounds) {
    const std::size_t row_bytes = stride * sizeof(Sample);
    check(1, [&](void* storage, std::size_t& bytes) {
      return cub::DeviceHistogram::MultiHistogramEven<channels, active>(
          storage, bytes, samples, counters, level_counts, low, high, Offset{pixels});
    });
    check(rows, [&](void* storage, std::size_t& bytes) {
      return cub::DeviceHistogram::MultiHistogramEven<channels, active>(
          storage, bytes, samples, counters, level_counts, low, high, Offset{pixels}, Offset{rows},
          row_bytes, cudaStreamPerThread);
    });
    check(1, [&](void* storage, std::size_t& bytes) {
      return cub::DeviceHistogram::MultiHistogramRange<channels, active>(
          storage, bytes, samples, counters, level_counts, bounds, Offset{pixels},
          cudaStreamPerThread);
    });
    check(rows, [&](void* storage, std::size_t& bytes) {
      return cub::DeviceHistogram::MultiHistogramRange<channels, active>(
          storage, bytes, samples, counters, level_counts, bounds, Offset{pixels}, Offset{rows},
          row_bytes);
    });
  };
  both(&counts[0], &levels[0], &lower[0], &upper[0], &given[0]);
  both(cuda::std::array<int*, active>{counts[0], counts[1], counts[2]},
       cuda::std::array<int, active>{levels[0], levels[1], levels[2]},
       cuda::std::array<Level, active>{lower[0], lower[1], lower[2]},
       cuda::std::array<Level, active>{upper[0], upper[1], upper[2]},
       cuda::std::array<const Level*, active>{given[0], given[1], given[2]});
  // Arrays themselves, and braces where nothing is to be deduced.
  check(1, [&](void* storage, std::size_t& bytes) {
    return cub::DeviceHistogram::MultiHistogramEven<channels, active>(
        storage, bytes, samples, counts, levels, lower, upper, Offset{pixels});
  });
  check(rows, [&](void* storage, std::size_t& bytes) {
    return cub::DeviceHistogram::MultiHistogramRange<channels, active>(
        storage, bytes, samples, counts, levels, given, Offset{pixels}, Offset{rows},
        stride * sizeof(Sample));
  });
  check(1, [&](void* storage, std::size_t& bytes) {
    return cub::DeviceHistogram::MultiHistogramEven<channels, active>(
        storage, bytes, samples, cuda::std::array<int*, active>{counts[0], counts[1], counts[2]},
        {levels[0], levels[1], levels[2]},
        cuda::std::array<Level, active>{lower[0], lower[1], lower[2]},
        cuda::std::array<Level, active>{upper[0], upper[1], upper[2]}, Offset{pixels});
  });
  std::printf("%s: %d wrong\n", name, wrong);
  for (int channel = 0; channel < active; ++channel) {
    cudaFree(counts[channel]);
    cudaFree(boundaries[channel]);
  }
  cudaFree(samples);
}

int main() {
  test<unsigned char, int, int>("bytes");
  test<int, long long, long long>("ints");
  test<float, float, int>("floats");
  test<short, double, unsigned>("shorts");
}
