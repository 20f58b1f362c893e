// The numbers a kernel is tested with. The generator is counter-based: element i is the same in any
// order and on any thread.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/host/case.h"
#include "core/host/dtype.h"

namespace warpath::harness {

// A key from names and the user's seed; the same on every machine.
std::uint64_t make_key(std::uint64_t seed, std::string_view op, std::string_view case_name,
                       std::string_view arg);

// 64 random bits of (key, i).
constexpr std::uint64_t random_bits(std::uint64_t key, std::uint64_t i) {
  // splitmix64 of a Weyl sequence, started at a mixed key so that neighbouring keys share nothing.
  std::uint64_t x = key + (i + 1) * 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}
constexpr double random_unit(std::uint64_t key, std::uint64_t i) {  // [0, 1)
  return static_cast<double>(random_bits(key, i) >> 11) * 0x1p-53;
}
double random_normal(std::uint64_t key, std::uint64_t i);

// Fills a contiguous tensor of the shape with numbers that suit the dtype; not yet rounded to it.
void fill(double* to, const std::vector<std::int64_t>& shape, DType dtype, Fill kind,
          std::uint64_t key);

// Positions from 0 to 2^31 - 1; the op's `prepare` brings them into range.
void fill_index(std::int64_t* to, std::int64_t n, std::uint64_t key);

}  // namespace warpath::harness
