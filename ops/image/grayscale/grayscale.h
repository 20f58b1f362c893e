// Colour to grey: y = 0.299 R + 0.587 G + 0.114 B, the luma of ITU-R BT.601.
// In u8 it is (19595 R + 38470 G + 7471 B + 32768) >> 16, as Pillow's convert("L") has it: the factors add up to 2^16, so
// grey stays as it is and white stays white. Other types are computed in float and rounded once.
//   grayscale:        x is packed, (…, height, width, channels): the channels of a pixel are neighbours
//   grayscale_planes: x has planes, (batch, channels, height, width): the pixels of a channel are neighbours
// The first three channels are red, green and blue; others, such as alpha, are not looked at.
#pragma once
#include "core/host/error.h"
#include "core/host/rung.h"

namespace warpath::grayscale {

struct Packed {
  static constexpr const char* op = "grayscale";
  Tensor x, y;

  static Contract contract() {
    return Contract(op, "y = the grey of packed pixels, 0.299 R + 0.587 G + 0.114 B")
        .in("x", &Packed::x, {"pixels...", "channels"},
            {DType::u8, DType::f32, DType::f16, DType::bf16})
        .out("y", &Packed::y, {"pixels..."}, "x")
        .after({"vector_add"});
  }
};

struct Planes {
  static constexpr const char* op = "grayscale_planes";
  Tensor x, y;

  static Contract contract() {
    return Contract(op, "y = the grey of planes, 0.299 R + 0.587 G + 0.114 B")
        .in("x", &Planes::x, {"batch", "channels", "height", "width"},
            {DType::u8, DType::f32, DType::f16, DType::bf16})
        .out("y", &Planes::y, {"batch", "height", "width"}, "x")
        .after({"grayscale"});
  }
};

inline void check_channels(std::int64_t channels) {
  WARPATH_CHECK(channels >= 3, "grayscale: argument 'x' must have three channels or more");
}

}  // namespace warpath::grayscale
