#include "models/shapes.h"

#include <algorithm>
#include <cmath>

#include "models/random.h"

namespace warpath::models {
namespace {

// How far (x, y) is outside of a shape of radius r around the origin; negative inside.
double distance(int shape, double x, double y, double r) {
  const double ax = std::abs(x), ay = std::abs(y);
  switch (shape) {
    case 0:
      return std::hypot(x, y) - r;
    case 1:
      return std::abs(std::hypot(x, y) - 0.8 * r) - 0.2 * r;
    case 2:
      return std::max(ax, ay) - 0.85 * r;
    case 3:
      return (ax + ay - 1.15 * r) * 0.7071;
    case 4:
      return std::min(std::max(ax - r, ay - 0.3 * r), std::max(ay - r, ax - 0.3 * r));
    default:  // the point up
      return std::max(y - 0.75 * r, 0.866 * ax - 0.5 * y - 0.5 * r);
  }
}

}  // namespace

const char* shape_name(int shape) {
  constexpr const char* names[shape_count] = {"disc",    "ring",  "square",
                                              "diamond", "cross", "triangle"};
  return names[shape];
}

ShapeImage shape_image(std::uint64_t seed, std::uint64_t index, std::int64_t size,
                       std::int64_t channels) {
  const Random random{seed, 0x696d6167 + index};
  std::uint64_t at = 0;
  const auto between = [&](double low, double high) {
    return low + (high - low) * random.uniform(at++);
  };
  ShapeImage image;
  image.shape = static_cast<int>(random.below(at++, shape_count));
  const double r = between(0.28, 0.42), x0 = between(r, 1 - r), y0 = between(r, 1 - r);
  // Bright on dark, so that no shape has the colour of its ground.
  std::vector<double> ground, colour;
  for (std::int64_t c = 0; c < channels; ++c) {
    ground.push_back(between(-1, -0.5));
    colour.push_back(between(0.1, 1));
  }
  image.pixels.resize(static_cast<std::size_t>(channels * size * size));
  const auto pixels = static_cast<double>(size);
  for (std::int64_t i = 0; i < size; ++i)
    for (std::int64_t j = 0; j < size; ++j) {
      const double x = (static_cast<double>(j) + 0.5) / pixels - x0;
      const double y = (static_cast<double>(i) + 0.5) / pixels - y0;
      // An edge is one pixel wide.
      const double inside = std::clamp(0.5 - distance(image.shape, x, y, r) * pixels, 0.0, 1.0);
      for (std::int64_t c = 0; c < channels; ++c) {
        const auto k = static_cast<std::size_t>(c);
        image.pixels[static_cast<std::size_t>((c * size + i) * size + j)] =
            static_cast<float>(ground[k] + (colour[k] - ground[k]) * inside);
      }
    }
  return image;
}

}  // namespace warpath::models
