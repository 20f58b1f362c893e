#include "ops/image/augment/augment.h"

#include <algorithm>
#include <cmath>

#include "core/host/parallel.h"
#include "core/host/registry.h"
#include "ops/image/augment/draws.h"

namespace warpath::augment {

static double unit(double v) {
  return std::clamp(v, 0.0, 1.0);
}

static void reference(const Args& args, const Args& scale) {
  const Ranges ranges = Ranges::of(args);
  const std::int64_t height = args.x.shape[1], width = args.x.shape[2];
  const std::int64_t pixels = std::int64_t(ranges.height) * ranges.width;
  parallel_for(args.x.shape[0], 1, [&](std::int64_t image) {
    const Draws d = Draws::of(ranges, image);
    const double* const from = args.x.as<double>() + image * height * width * 3;
    const double sine = std::sin(static_cast<double>(d.angle));
    const double cosine = std::cos(static_cast<double>(d.angle));
    // A pixel past the image is black.
    const auto at = [&](std::int64_t row, std::int64_t col, int c) {
      const bool inside = row >= 0 && row < height && col >= 0 && col < width;
      return inside ? from[(row * width + col) * 3 + c] : 0.0;
    };
    for (std::int64_t p = 0; p < pixels; ++p) {
      const auto row = static_cast<int>(p / ranges.width), col = static_cast<int>(p % ranges.width);
      const int across = d.flip ? ranges.width - 1 - col : col;
      const double mx = (ranges.width - 1) / 2.0, my = (ranges.height - 1) / 2.0;
      const double sx = cosine * (across - mx) - sine * (row - my) + mx + d.left;
      const double sy = sine * (across - mx) + cosine * (row - my) + my + d.top;
      const auto x = static_cast<std::int64_t>(std::floor(sx));
      const auto y = static_cast<std::int64_t>(std::floor(sy));
      const double u = sx - std::floor(sx), w = sy - std::floor(sy);
      double v[3];
      for (int c = 0; c < 3; ++c) {
        v[c] = (1 - w) * ((1 - u) * at(y, x, c) + u * at(y, x + 1, c)) +
               w * ((1 - u) * at(y + 1, x, c) + u * at(y + 1, x + 1, c));
        v[c] = unit(v[c] / 255 * static_cast<double>(d.brightness));
        v[c] = unit((v[c] - 0.5) * static_cast<double>(d.contrast) + 0.5);
      }
      const double grey = 0.299 * v[0] + 0.587 * v[1] + 0.114 * v[2];
      for (int c = 0; c < 3; ++c) {
        const double mean = args.mean.as<double>()[c], std = args.std.as<double>()[c];
        const double own = unit(grey + static_cast<double>(d.saturation) * (v[c] - grey));
        const std::int64_t i = (image * 3 + c) * pixels + p;
        args.y.as<double>()[i] = d.cuts(row, col) ? 0 : (own - mean) / std;
        // A position is off by some units of the largest coordinate, and two neighbours are at most 1 apart. Three
        // factors of at most 2 come after it.
        const double reach =
            d.angle != 0 ? static_cast<double>(height + width + 2 * args.padding) : 0;
        scale.y.as<double>()[i] = (8 * (1 + reach) + std::abs(mean)) / std::abs(std);
      }
    }
  });
}

// About as ImageNet's: means near a half, deviations near a quarter.
static void prepare(const Args& args) {
  for (int c = 0; c < 3; ++c) {
    args.mean.as<double>()[c] = 0.45 + 0.02 * c;
    args.std.as<double>()[c] = 0.22 + 0.01 * c;
  }
}

static Tolerance tolerance(const Args&) {
  return {.out_ulps = 1, .f32_ulps = 1};
}

// Without padding and rotation every pixel of a crop is read once.
static Cost cost(const Args& args) {
  const auto pixels = static_cast<double>(args.y.size()) / 3;
  return {.flops = 30 * pixels, .bytes = 3 * pixels + static_cast<double>(args.y.bytes())};
}

static std::vector<Case> cases() {
  using Scalars = std::map<std::string, Value>;
  const auto sized = [](const char* name, std::int64_t batch, std::int64_t height,
                        std::int64_t width, std::int64_t out_height, std::int64_t out_width,
                        Scalars scalars, Case c = {}) {
    c.name = name;
    c.dims = {{"batch", batch},
              {"height", height},
              {"width", width},
              {"out_height", out_height},
              {"out_width", out_width}};
    c.scalars = std::move(scalars);
    return c;
  };
  const std::map<std::string, DType> half = {{"y", DType::f16}}, bf16 = {{"y", DType::bf16}};
  const Scalars all = {{"seed", 7},         {"offset", 3},       {"padding", 4},
                       {"rotation", 30},    {"brightness", 0.4}, {"contrast", 0.4},
                       {"saturation", 0.4}, {"cut", 7}};
  return {
      sized("empty", 0, 8, 8, 4, 4, {}),
      sized("no columns", 2, 8, 8, 4, 0, {}),
      sized("one pixel", 3, 1, 1, 1, 1, {{"seed", 1}}),
      sized("whole image", 4, 9, 11, 9, 11, {{"seed", 1}, {"flip", 0}}),
      sized("always flipped", 2, 9, 11, 9, 11, {{"seed", 1}, {"flip", 1}}),
      sized("crops", 9, 20, 30, 13, 17, {{"seed", 2}}),
      sized("padded", 6, 16, 16, 16, 16, {{"seed", 3}, {"padding", 4}}),
      sized("rotation", 4, 24, 20, 16, 16, {{"seed", 4}, {"rotation", 45}}),
      sized("colours", 5, 12, 12, 12, 12,
            {{"seed", 5}, {"brightness", 0.5}, {"contrast", 0.9}, {"saturation", 1}}),
      sized("cut out", 6, 16, 16, 16, 16, {{"seed", 6}, {"cut", 6}}),
      sized("cut all", 2, 6, 6, 6, 6, {{"seed", 6}, {"cut", 40}}),
      sized("all of it", 5, 24, 28, 20, 24, all),
      sized("all of it f16", 5, 24, 28, 20, 24, all, {.types = half}),
      sized("all of it bf16", 5, 24, 28, 20, 23, all, {.types = bf16}),
      sized("misaligned", 3, 12, 12, 8, 8, {{"seed", 8}}, {.offset = 1}),
      sized("high seed", 3, 12, 12, 8, 8,
            {{"seed", std::int64_t{0x0123456789abc000}}, {"offset", -1}}, {.types = bf16}),
      sized("ImageNet", 256, 256, 256, 224, 224,
            {{"seed", 1}, {"brightness", 0.4}, {"contrast", 0.4}, {"saturation", 0.4}},
            {.bench = true}),
      sized("ImageNet bf16", 256, 256, 256, 224, 224,
            {{"seed", 1}, {"brightness", 0.4}, {"contrast", 0.4}, {"saturation", 0.4}},
            {.types = bf16, .bench = true}),
      sized("ImageNet rotated", 256, 256, 256, 224, 224, {{"seed", 1}, {"rotation", 15}},
            {.types = bf16, .bench = true}),
      sized("CIFAR", 4096, 32, 32, 32, 32, {{"seed", 1}, {"padding", 4}, {"cut", 8}},
            {.types = bf16, .bench = true}),
  };
}

WARPATH_OP(Args, .reference = reference, .cases = cases, .cost = cost, .tolerance = tolerance,
           .prepare = prepare);

}  // namespace warpath::augment
