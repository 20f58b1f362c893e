#include "driver/fingerprint.h"

#include <cstdint>
#include <cstdio>

namespace simt::cc {

std::string fingerprint(const std::string& text) {
  std::uint64_t a = 0xcbf29ce484222325u, b = 0x9ae16a3b2f90404fu;
  for (const unsigned char c : text) {
    a = (a ^ c) * 0x100000001b3u;
    b = (b ^ c) * 0x100000001b3u;
    b ^= b >> 29;
  }
  char digits[40];
  std::snprintf(digits, sizeof digits, "%016llx%016llx", static_cast<unsigned long long>(a),
                static_cast<unsigned long long>(b));
  return digits;
}

}  // namespace simt::cc
