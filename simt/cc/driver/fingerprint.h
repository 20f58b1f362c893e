#pragma once

#include <string>

namespace simt::cc {

// 128 bits of a text by FNV-1a from two starts, in hexadecimal digits.
std::string fingerprint(const std::string& text);

}  // namespace simt::cc
