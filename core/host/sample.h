// Which parts of an output a sampled reference judges: those that a hash takes. A stride would miss an error that has the
// same one.
#pragma once
#include <cstdint>

#include "core/thread/philox.cuh"

namespace warpath {

struct Sample {
  std::uint64_t key = 0;
  double share = 1;  // of the parts

  // A number of (a, b) from 0 to 2^32 - 1; the two are any that tell parts apart.
  std::uint32_t number(std::uint64_t a, std::uint64_t b) const {
    return philox(philox_counter(a, b), key).at[0];
  }
  bool takes(std::uint64_t a, std::uint64_t b) const { return number(a, b) < share * 0x1p32; }
};

}  // namespace warpath
