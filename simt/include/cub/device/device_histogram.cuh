#pragma once

// Histograms with bins of one width, or between given levels, of one channel or of several that
// lie interleaved. Samples outside all bins count nowhere.

#include <cub/util_device.cuh>

#include <cuda/std/array>

#include <array>
#include <cstdint>

namespace cub {

namespace detail {

// `bin_of` of a sample: negative if it is outside.
template <class Level>
struct EvenBins {
  int levels;
  Level lower, upper;

  template <class Sample>
  int operator()(const Sample& sample) const {
    const auto level = static_cast<Level>(sample);
    if (!(level >= lower) || !(level < upper)) return -1;
    if constexpr (std::is_integral_v<Level>) {
      return static_cast<int>(static_cast<unsigned long long>(level - lower) *
                              static_cast<unsigned long long>(levels - 1) /
                              static_cast<unsigned long long>(upper - lower));
    } else {
      const Level scale = static_cast<Level>(levels - 1) / (upper - lower);
      const int bin = static_cast<int>((level - lower) * scale);
      return bin < levels - 1 ? bin : levels - 2;  // rounding
    }
  }
};
template <class Level>
struct RangeBins {
  int levels;
  const Level* boundaries;

  template <class Sample>
  int operator()(const Sample& sample) const {
    int low = 0, high = levels;  // boundaries before `low` are not greater than the sample
    while (low < high) {
      const int middle = (low + high) / 2;
      if (static_cast<Level>(sample) < boundaries[middle]) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low == levels ? -1 : low - 1;
  }
};

template <int Channels, int Active, class Samples, class Counter, class Bins>
cudaError_t histogram(const char* name, void* storage, std::size_t& bytes, Samples samples,
                      std::array<Counter*, Active> counts, std::array<Bins, Active> bins,
                      std::int64_t row_pixels, std::int64_t rows, std::size_t row_bytes,
                      cudaStream_t stream) {
  const auto row_samples = static_cast<std::int64_t>(row_bytes / sizeof(value_of<Samples>));
  return device_wide(name, storage, bytes, 0, stream, [=]() mutable {
    for (int channel = 0; channel < Active; ++channel) {
      for (int i = 0; i + 1 < bins[channel].levels; ++i) counts[channel][i] = 0;
      for (std::int64_t row = 0; row < rows; ++row) {
        for (std::int64_t pixel = 0; pixel < row_pixels; ++pixel) {
          const int bin = bins[channel](samples[row * row_samples + pixel * Channels + channel]);
          if (bin >= 0) ++counts[channel][bin];
        }
      }
    }
  });
}

template <int Active, class Level>
std::array<EvenBins<Level>, Active> even_bins(const int* levels, const Level* lower,
                                              const Level* upper) {
  std::array<EvenBins<Level>, Active> bins;
  for (int i = 0; i < Active; ++i) bins[i] = {levels[i], lower[i], upper[i]};
  return bins;
}
template <int Active, class Level>
std::array<RangeBins<Level>, Active> range_bins(const int* levels, const Level* const* boundaries) {
  std::array<RangeBins<Level>, Active> bins;
  for (int i = 0; i < Active; ++i) bins[i] = {levels[i], boundaries[i]};
  return bins;
}
template <int Active, class Counter>
std::array<Counter*, Active> all_counts(Counter* const* counts) {
  std::array<Counter*, Active> all;
  for (int i = 0; i < Active; ++i) all[i] = counts[i];
  return all;
}

}  // namespace detail

struct DeviceHistogram {
  template <class Samples, class Counter, class Level, class Offset>
  static detail::if_count<Offset> HistogramEven(void* storage, std::size_t& bytes, Samples samples,
                                                Counter* counts, int levels, Level lower,
                                                Level upper, Offset row, Offset rows,
                                                std::size_t row_bytes,
                                                cudaStream_t stream = nullptr) {
    return detail::histogram<1, 1>("cub::DeviceHistogram::HistogramEven", storage, bytes, samples,
                                   detail::all_counts<1>(&counts),
                                   detail::even_bins<1>(&levels, &lower, &upper), row, rows,
                                   row_bytes, stream);
  }
  template <class Samples, class Counter, class Level, class Offset>
  static detail::if_count<Offset> HistogramEven(void* storage, std::size_t& bytes, Samples samples,
                                                Counter* counts, int levels, Level lower,
                                                Level upper, Offset count,
                                                cudaStream_t stream = nullptr) {
    return HistogramEven(storage, bytes, samples, counts, levels, lower, upper, count, Offset{1},
                         row_size<Samples>(count), stream);
  }
  template <class Samples, class Counter, class Level, class Offset>
  static detail::if_count<Offset> HistogramRange(void* storage, std::size_t& bytes, Samples samples,
                                                 Counter* counts, int levels,
                                                 const Level* boundaries, Offset row, Offset rows,
                                                 std::size_t row_bytes,
                                                 cudaStream_t stream = nullptr) {
    return detail::histogram<1, 1>("cub::DeviceHistogram::HistogramRange", storage, bytes, samples,
                                   detail::all_counts<1>(&counts),
                                   detail::range_bins<1>(&levels, &boundaries), row, rows,
                                   row_bytes, stream);
  }
  template <class Samples, class Counter, class Level, class Offset>
  static detail::if_count<Offset> HistogramRange(void* storage, std::size_t& bytes, Samples samples,
                                                 Counter* counts, int levels,
                                                 const Level* boundaries, Offset count,
                                                 cudaStream_t stream = nullptr) {
    return HistogramRange(storage, bytes, samples, counts, levels, boundaries, count, Offset{1},
                          row_size<Samples>(count), stream);
  }
  // Several channels: what belongs to each stands in arrays, or in cuda::std::arrays since CUB 3.
  template <int Channels, int Active, class Samples, class Counter, class Level, class Offset>
  static detail::if_count<Offset> MultiHistogramEven(void* storage, std::size_t& bytes,
                                                     Samples samples, Counter* const* counts,
                                                     const int* levels, const Level* lower,
                                                     const Level* upper, Offset row_pixels,
                                                     Offset rows, std::size_t row_bytes,
                                                     cudaStream_t stream = nullptr) {
    return detail::histogram<Channels, Active>("cub::DeviceHistogram::MultiHistogramEven", storage,
                                               bytes, samples, detail::all_counts<Active>(counts),
                                               detail::even_bins<Active>(levels, lower, upper),
                                               row_pixels, rows, row_bytes, stream);
  }
  template <int Channels, int Active, class Samples, class Counter, class Level, class Offset>
  static detail::if_count<Offset> MultiHistogramEven(void* storage, std::size_t& bytes,
                                                     Samples samples, Counter* const* counts,
                                                     const int* levels, const Level* lower,
                                                     const Level* upper, Offset pixels,
                                                     cudaStream_t stream = nullptr) {
    return MultiHistogramEven<Channels, Active>(
        storage, bytes, samples, counts, levels, lower, upper, pixels, Offset{1},
        row_size<Samples>(static_cast<std::int64_t>(pixels) * Channels), stream);
  }
  template <int Channels, int Active, class Samples, class Counter, class Level, class... Shape>
  static cudaError_t MultiHistogramEven(void* storage, std::size_t& bytes, Samples samples,
                                        ::cuda::std::array<Counter*, Active> counts,
                                        ::cuda::std::array<int, Active> levels,
                                        ::cuda::std::array<Level, Active> lower,
                                        ::cuda::std::array<Level, Active> upper, Shape... shape) {
    return MultiHistogramEven<Channels, Active>(storage, bytes, samples, counts.data(),
                                                levels.data(), lower.data(), upper.data(),
                                                shape...);
  }
  template <int Channels, int Active, class Samples, class Counter, class Level, class Offset>
  static detail::if_count<Offset> MultiHistogramRange(
      void* storage, std::size_t& bytes, Samples samples, Counter* const* counts, const int* levels,
      const Level* const* boundaries, Offset row_pixels, Offset rows, std::size_t row_bytes,
      cudaStream_t stream = nullptr) {
    return detail::histogram<Channels, Active>("cub::DeviceHistogram::MultiHistogramRange", storage,
                                               bytes, samples, detail::all_counts<Active>(counts),
                                               detail::range_bins<Active>(levels, boundaries),
                                               row_pixels, rows, row_bytes, stream);
  }
  template <int Channels, int Active, class Samples, class Counter, class Level, class Offset>
  static detail::if_count<Offset> MultiHistogramRange(void* storage, std::size_t& bytes,
                                                      Samples samples, Counter* const* counts,
                                                      const int* levels,
                                                      const Level* const* boundaries, Offset pixels,
                                                      cudaStream_t stream = nullptr) {
    return MultiHistogramRange<Channels, Active>(
        storage, bytes, samples, counts, levels, boundaries, pixels, Offset{1},
        row_size<Samples>(static_cast<std::int64_t>(pixels) * Channels), stream);
  }
  template <int Channels, int Active, class Samples, class Counter, class Level, class... Shape>
  static cudaError_t MultiHistogramRange(void* storage, std::size_t& bytes, Samples samples,
                                         ::cuda::std::array<Counter*, Active> counts,
                                         ::cuda::std::array<int, Active> levels,
                                         ::cuda::std::array<const Level*, Active> boundaries,
                                         Shape... shape) {
    return MultiHistogramRange<Channels, Active>(storage, bytes, samples, counts.data(),
                                                 levels.data(), boundaries.data(), shape...);
  }

 private:
  template <class Samples, class Offset>
  static std::size_t row_size(Offset count) {
    return sizeof(detail::value_of<Samples>) * static_cast<std::size_t>(count);
  }
};

}  // namespace cub
