#include "models/png.h"

#include <algorithm>
#include <array>

#include "core/host/error.h"

namespace warpath::models {
namespace {

std::string big_endian(std::uint32_t x) {
  std::string s;
  for (const int shift : {24, 16, 8, 0}) s += static_cast<char>(x >> shift & 255);
  return s;
}

std::string little_endian(std::size_t x) {
  return {static_cast<char>(x & 255), static_cast<char>(x >> 8 & 255)};
}

std::uint32_t crc32(const std::string& bytes) {
  static const std::array<std::uint32_t, 256> table = [] {
    std::array<std::uint32_t, 256> t{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      t[i] = i;
      for (int bit = 0; bit < 8; ++bit) t[i] = t[i] >> 1 ^ (t[i] & 1 ? 0xedb88320u : 0);
    }
    return t;
  }();
  std::uint32_t crc = ~0u;
  for (const char c : bytes) crc = table[(crc ^ static_cast<unsigned char>(c)) & 255] ^ crc >> 8;
  return ~crc;
}

std::uint32_t adler32(const std::string& bytes) {
  std::uint32_t a = 1, b = 0;
  for (const char c : bytes) {
    a = (a + static_cast<unsigned char>(c)) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
}

std::string chunk(const std::string& type, const std::string& data) {
  return big_endian(static_cast<std::uint32_t>(data.size())) + type + data +
         big_endian(crc32(type + data));
}

// The format of zlib with blocks that are stored as they are, 65535 bytes at most each.
std::string stored(const std::string& bytes) {
  std::string s = "\x78\x01";
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t n = std::min<std::size_t>(65535, bytes.size() - at);
    s += at + n == bytes.size() ? '\1' : '\0';
    s += little_endian(n) + little_endian(~n & 0xffff) + bytes.substr(at, n);
    at += n;
  }
  return s + big_endian(adler32(bytes));
}

}  // namespace

std::string png_of(const std::vector<std::uint8_t>& pixels, std::uint32_t columns,
                   std::uint32_t rows, int channels) {
  const std::size_t row = std::size_t{columns} * static_cast<std::size_t>(channels);
  WARPATH_CHECK(
      (channels == 1 || channels == 3) && row > 0 && pixels.size() == row * rows && rows > 0,
      "an image is gray or RGB, and has all of its pixels");
  std::string lines;
  for (std::size_t r = 0; r < rows; ++r) {
    lines += '\0';  // no filter
    lines.append(reinterpret_cast<const char*>(pixels.data()) + r * row, row);
  }
  std::string header = big_endian(columns) + big_endian(rows);
  header += '\x08';  // bits per sample
  header += static_cast<char>(channels == 3 ? 2 : 0);
  header += std::string(3, '\0');  // compression, filter, no interlacing
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + chunk("IDAT", stored(lines)) +
         chunk("IEND", "");
}

}  // namespace warpath::models
