// Samples of a timer and their summary. Plain C++: the device library computes its rates with it
// too.
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

namespace warpath::harness {

struct Timing {
  double median_us, p20_us, p80_us;
  int samples;
};

// Interpolates between the two nearest samples: 0.5 of {1, 2} is 1.5. There must be at least one.
inline double quantile(const std::vector<double>& sorted, double fraction) {
  const double where = fraction * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<std::size_t>(where);
  const auto high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (where - static_cast<double>(low)) * (sorted[high] - sorted[low]);
}

inline Timing summarise_samples(std::vector<double> us) {
  std::sort(us.begin(), us.end());
  return {quantile(us, 0.5), quantile(us, 0.2), quantile(us, 0.8), static_cast<int>(us.size())};
}

}  // namespace warpath::harness
