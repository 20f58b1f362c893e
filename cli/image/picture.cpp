#include "cli/image/picture.h"

#include <algorithm>
#include <cmath>

namespace warpath::cli {

Picture in_bytes(const Picture& picture) {
  if (picture.bits == 8) return picture;
  Picture p = Picture::of(picture.width, picture.height, picture.channels, 8);
  for (std::int64_t i = 0; i < p.values(); ++i) p.set(i, (picture.at(i) * 255 + 32767) / 65535);
  return p;
}

Picture on_white(const Picture& picture) {
  if (!picture.has_alpha()) return picture;
  const int colours = picture.colours();
  const std::uint64_t most = picture.most();
  Picture p = Picture::of(picture.width, picture.height, colours, picture.bits);
  for (std::int64_t i = 0; i < p.pixels(); ++i) {
    const std::uint64_t alpha = picture.at(i * picture.channels + colours);
    for (int c = 0; c < colours; ++c) {
      const std::uint64_t value = picture.at(i * picture.channels + c);
      p.set(i * colours + c,
            static_cast<unsigned>((value * alpha + most * (most - alpha) + most / 2) / most));
    }
  }
  return p;
}

Picture upright(Picture picture, int orientation) {
  if (orientation < 2 || orientation > 8) return picture;
  const bool turned = orientation >= 5;
  const std::int64_t width = turned ? picture.height : picture.width;
  const std::int64_t height = turned ? picture.width : picture.height;
  Picture p = Picture::of(width, height, picture.channels, picture.bits);
  const auto bytes = static_cast<std::size_t>(picture.channels * picture.bits / 8);
  for (std::int64_t y = 0; y < height; ++y)
    for (std::int64_t x = 0; x < width; ++x) {
      // Where the pixel is in the file: 2 to 4 mirror, 5 to 8 exchange the axes as well.
      std::int64_t col = turned ? y : x, row = turned ? x : y;
      if (orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8)
        col = picture.width - 1 - col;
      if (orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7)
        row = picture.height - 1 - row;
      std::memcpy(&p.data[static_cast<std::size_t>(y * width + x) * bytes],
                  &picture.data[static_cast<std::size_t>(row * picture.width + col) * bytes],
                  bytes);
    }
  return p;
}

namespace {

struct Colour {
  double r, g, b;
};

Colour mix(Colour a, Colour b, double t) {
  t = std::clamp(t, 0.0, 1.0);
  return {a.r + (b.r - a.r) * t, a.g + (b.g - a.g) * t, a.b + (b.b - a.b) * t};
}

// An evening: sky, sun, three ridges of hills, water with the sun's path on it.
Colour colour_at(double x, double y) {
  constexpr double sun_x = 0.68, sun_y = 0.42, horizon = 0.66;
  const double d = std::hypot((x - sun_x) * 4 / 3, y - sun_y);
  Colour c = mix({38, 52, 120}, {252, 166, 92}, y / horizon);
  c = mix({255, 236, 170}, c, 0.35 + d * 2.2);
  c = mix({255, 246, 210}, c, (d - 0.095) * 300);  // the disc, its edge softened over a pixel
  const struct {
    double base, height, wave, phase;
    Colour colour;
  } ridges[] = {{0.56, 0.05, 9, 0.4, {120, 92, 140}},
                {0.61, 0.06, 6, 2.1, {78, 66, 112}},
                {0.66, 0.05, 13, 4.0, {40, 44, 78}}};
  for (const auto& r : ridges) {
    const double top = r.base - r.height * (0.5 + 0.3 * std::sin(r.wave * x + r.phase) +
                                            0.2 * std::sin(2.7 * r.wave * x + 2 * r.phase));
    c = mix(c, r.colour, (y - top) * 300);
  }
  if (y > horizon) {
    const double deep = (y - horizon) / (1 - horizon);
    const double ripple = std::sin(260 * std::sqrt(deep) + 3 * std::sin(21 * x));
    c = mix({196, 132, 110}, {22, 34, 72}, deep * 1.3);
    const double path = std::exp(-std::pow((x - sun_x) / (0.05 + 0.12 * deep), 2));
    c = mix(c, {255, 214, 140}, path * (0.45 + 0.45 * ripple));
    c = mix(c, {10, 14, 30}, 0.12 * (1 - ripple));
  }
  return c;
}

}  // namespace

Picture drawn_picture() {
  Picture p = Picture::of(480, 360, 3, 8);
  for (std::int64_t y = 0; y < p.height; ++y)
    for (std::int64_t x = 0; x < p.width; ++x) {
      const Colour c = colour_at((static_cast<double>(x) + 0.5) / static_cast<double>(p.width),
                                 (static_cast<double>(y) + 0.5) / static_cast<double>(p.height));
      const double values[] = {c.r, c.g, c.b};
      for (int k = 0; k < 3; ++k)
        p.set((y * p.width + x) * 3 + k,
              static_cast<unsigned>(std::lround(std::clamp(values[k], 0.0, 255.0))));
    }
  return p;
}

Picture sheet_of(const std::vector<Picture>& four) {
  constexpr std::int64_t line = 6;
  const std::int64_t width = four[0].width, height = four[0].height;
  Picture p = Picture::of(2 * width + line, 2 * height + line, 3, 8);
  std::fill(p.data.begin(), p.data.end(), std::uint8_t{255});
  for (std::int64_t i = 0; i < 4; ++i) {
    const Picture& one = four[static_cast<std::size_t>(i)];
    const std::int64_t left = i % 2 * (width + line), top = i / 2 * (height + line);
    for (std::int64_t y = 0; y < height; ++y)
      for (std::int64_t x = 0; x < width; ++x)
        for (int c = 0; c < 3; ++c)
          p.set(((top + y) * p.width + left + x) * 3 + c,
                one.at((y * width + x) * one.channels + (one.colours() == 3 ? c : 0)));
  }
  return p;
}

}  // namespace warpath::cli
