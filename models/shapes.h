// Images to train on without any data: one shape on a plain ground, at a random place, of a random size and random colours.
// What shape it is, is the image's class.
#pragma once
#include <cstdint>
#include <vector>

namespace warpath::models {

inline constexpr int shape_count = 6;
const char* shape_name(int shape);  // "disc", "ring", "square", "diamond", "cross", "triangle"

struct ShapeImage {
  std::vector<float> pixels;  // (channels, size, size), between -1 and 1
  int shape = 0;
};

// Image `index` of a seed; every index has its own random numbers.
ShapeImage shape_image(std::uint64_t seed, std::uint64_t index, std::int64_t size,
                       std::int64_t channels);

}  // namespace warpath::models
