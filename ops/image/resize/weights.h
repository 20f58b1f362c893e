// The pixels of one result along one axis: the same on host and GPU.
#pragma once
#include <cstdint>

namespace warpath::resize {

struct Axis {
  std::int64_t in, out, reach;

  static constexpr Axis of(std::int64_t in, std::int64_t out, bool antialias) {
    return {in, out, 2 * (antialias && in > out ? in : out)};
  }
  // Not scaled; zero for a pixel that has no part in result o.
  constexpr std::int64_t weight(std::int64_t o, std::int64_t j) const {
    const std::int64_t d = (2 * j + 1) * out - (2 * o + 1) * in, left = reach - (d < 0 ? -d : d);
    return left > 0 ? left : 0;
  }
  // The first pixel with a weight: those closer than `reach` to the middle.
  constexpr std::int64_t first(std::int64_t o) const {
    const std::int64_t from = (2 * o + 1) * in - reach - out;  // 2 j out must be above it
    const std::int64_t j = from < 0 ? 0 : from / (2 * out) + 1;
    return j < in ? j : in - 1;
  }
  // Past the last one.
  constexpr std::int64_t end(std::int64_t o) const {
    const std::int64_t to = (2 * o + 1) * in + reach - out;  // 2 j out must be below it
    const std::int64_t j = (to + 2 * out - 1) / (2 * out);
    return j < in ? j : in;
  }
  // At most as many pixels have a part in a result.
  constexpr std::int64_t most() const { return reach / out + 2; }
};

// Weights in units of 1 / 4096 that add up to 4096: differences of the rounded sums up to each pixel. The sum over both axes,
// at most 255 * 2^24, fits into 32 bits.
inline constexpr int unit_bits = 12;

struct ByteWeights {
  std::int64_t total, sum = 0, before = 0;

  constexpr unsigned next(std::int64_t weight) {
    sum += weight;
    const std::int64_t now = ((sum << (unit_bits + 1)) + total) / (2 * total);
    const auto units = static_cast<unsigned>(now - before);
    before = now;
    return units;
  }
};

constexpr std::int64_t total_weight(const Axis& axis, std::int64_t o) {
  std::int64_t sum = 0;
  for (std::int64_t j = axis.first(o); j < axis.end(o); ++j) sum += axis.weight(o, j);
  return sum;
}

}  // namespace warpath::resize
