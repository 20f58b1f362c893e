// Images as PNG, uncompressed: a file that every viewer opens, from a few lines and no library.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace warpath::models {

// The file's bytes, from 8-bit pixels (rows, columns, channels); one channel is gray, three are RGB.
std::string png_of(const std::vector<std::uint8_t>& pixels, std::uint32_t columns,
                   std::uint32_t rows, int channels);

}  // namespace warpath::models
