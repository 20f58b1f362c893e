// A picture in memory: packed pixels of 8 or 16 bits, top row first.
#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace warpath::cli {

struct Picture {
  std::int64_t width = 0, height = 0;
  int channels = 0;  // grey, grey and alpha, RGB, RGBA
  int bits = 8;      // or 16, in the byte order of this machine
  std::vector<std::uint8_t> data = {};

  static Picture of(std::int64_t width, std::int64_t height, int channels, int bits) {
    Picture p{width, height, channels, bits};
    p.data.resize(static_cast<std::size_t>(p.row_bytes() * height));
    return p;
  }

  std::int64_t pixels() const { return width * height; }
  std::int64_t values() const { return pixels() * channels; }
  std::int64_t row_bytes() const { return width * channels * (bits / 8); }
  unsigned most() const { return bits == 8 ? 255 : 65535; }
  int colours() const { return channels < 3 ? 1 : 3; }
  bool has_alpha() const { return channels % 2 == 0; }

  unsigned at(std::int64_t i) const {
    if (bits == 8) return data[static_cast<std::size_t>(i)];
    std::uint16_t v;
    std::memcpy(&v, &data[static_cast<std::size_t>(2 * i)], 2);
    return v;
  }
  void set(std::int64_t i, unsigned value) {
    if (bits == 8) {
      data[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(value);
      return;
    }
    const auto v = static_cast<std::uint16_t>(value);
    std::memcpy(&data[static_cast<std::size_t>(2 * i)], &v, 2);
  }

  const char* colour_name() const {
    static constexpr const char* names[] = {"gray", "gray+alpha", "RGB", "RGBA"};
    return names[channels - 1];
  }
};

// The same picture with 8 bits per value.
Picture in_bytes(const Picture& picture);
// Without alpha: what is behind a transparent pixel is white.
Picture on_white(const Picture& picture);
// As a camera's orientation (1 to 8, EXIF) says it should be seen.
Picture upright(Picture picture, int orientation);
// The picture that the program draws when it is given none: colours, fine lines and sharp edges.
Picture drawn_picture();
// Four pictures of one size, two by two, with a white line between them.
Picture sheet_of(const std::vector<Picture>& four);

}  // namespace warpath::cli
