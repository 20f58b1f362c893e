// Random numbers by counter: number i of a seed and stream is the same whenever it is asked for, so a position is all there
// is to save.
#pragma once
#include <cmath>
#include <cstdint>

namespace warpath::models {

// Mixes 64 bits (the finalizer of splitmix64).
inline std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

struct Random {
  std::uint64_t seed = 0, stream = 0;

  std::uint64_t bits(std::uint64_t i) const {
    return mixed(mixed(mixed(seed) ^ stream * 0xd1342543de82ef95ull) ^ i);
  }
  // In [0, 1).
  double uniform(std::uint64_t i) const { return static_cast<double>(bits(i) >> 11) * 0x1p-53; }
  // In [0, n).
  std::uint64_t below(std::uint64_t i, std::uint64_t n) const {
    return static_cast<std::uint64_t>(uniform(i) * static_cast<double>(n));
  }
  // Box and Muller: two uniform numbers make one normal.
  double normal(std::uint64_t i) const {
    const double u = 1 - uniform(2 * i), v = uniform(2 * i + 1);
    return std::sqrt(-2 * std::log(u)) * std::cos(6.283185307179586 * v);
  }
};

}  // namespace warpath::models
