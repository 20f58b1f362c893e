// A divisor known on the host: quotients without a division.
#pragma once
#include <cstdint>

namespace warpath {

// An integer division on the GPU takes some thirty instructions, and a block that has just started
// waits for the instruction cache to fetch them. With 2^(s - 1) < by <= 2^s, ceil(2^(31 + s) / by)
// is too large by so little that no quotient of a number below 2^31 changes.
struct Divisor {
  unsigned factor;
  int shift;

  static Divisor of(int by) {
    int s = 0;
    while ((std::int64_t(1) << s) < by) ++s;
    return {unsigned(((std::uint64_t(1) << (31 + s)) + by - 1) / by), 31 + s};
  }
  __host__ __device__ int quotient(int number) const {
    return int(std::uint64_t(unsigned(number)) * factor >> shift);
  }
};

}  // namespace warpath
