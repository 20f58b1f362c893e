#include "ops/image/blur/blur.h"

#include <algorithm>
#include <cmath>

#include "core/host/parallel.h"
#include "core/host/registry.h"
#include "ops/image/blur/weights.h"

namespace warpath::blur {

// One axis after the other, in float64; of bytes, sums of whole numbers below 2^53, so exact.
static void reference(const Args& args, const Args& scale) {
  check_size(args);
  const bool bytes = scale.y.dtype == DType::u8;
  std::vector<double> w = weights(args);
  if (bytes) {
    const std::vector<unsigned> q = byte_weights(args);
    w.assign(q.begin(), q.end());
  }
  const auto height = static_cast<int>(args.x.shape[1]), width = static_cast<int>(args.x.shape[2]);
  const auto channels = static_cast<int>(args.x.shape[3]);
  const int radius = static_cast<int>(args.size / 2), line = width * channels;
  const double area = static_cast<double>(args.size * args.size);
  parallel_for(args.x.shape[0], 1, [&](std::int64_t image) {
    const std::int64_t first = image * height * line;
    const double* const x = args.x.as<double>() + first;
    std::vector<double> sums(static_cast<std::size_t>(height) * static_cast<std::size_t>(line));
    std::vector<double> parts = sums;
    for (int row = 0; row < height; ++row)
      for (int e = 0; e < line; ++e)
        for (int k = -radius; k <= radius; ++k) {
          const int from = place(row + k, height, args.border);
          if (from < 0) continue;
          const double v = w[static_cast<std::size_t>(k + radius)] * x[from * line + e];
          sums[static_cast<std::size_t>(row * line + e)] += v;
          parts[static_cast<std::size_t>(row * line + e)] += std::abs(v);
        }
    for (int row = 0; row < height; ++row)
      for (int e = 0; e < line; ++e) {
        double sum = 0, part = 0;
        for (int k = -radius; k <= radius; ++k) {
          const int from = place(e / channels + k, width, args.border);
          if (from < 0) continue;
          const auto at = static_cast<std::size_t>(row * line + from * channels + e % channels);
          sum += w[static_cast<std::size_t>(k + radius)] * sums[at];
          part += w[static_cast<std::size_t>(k + radius)] * parts[at];
        }
        if (bytes)
          sum = args.kind == Kind::box ? std::floor((sum + std::floor(area / 2)) / area)
                                       : std::floor(std::ldexp(sum, -2 * unit_bits) + 0.5);
        args.y.as<double>()[first + row * line + e] = sum;
        scale.y.as<double>()[first + row * line + e] = part;
      }
  });
}

// The first rungs add size^2 terms in a row. Of n roundings of half a unit with random signs about sqrt(n) / 2 units are left.
static Tolerance tolerance(const Args& args) {
  return {.out_ulps = 1, .f32_ulps = 2 + 0.5 * static_cast<double>(args.size)};
}

// Two multiplications and additions per pixel of a row and of a column: what a separable blur needs.
static Cost cost(const Args& args) {
  return {.flops = 4.0 * static_cast<double>(args.size) * static_cast<double>(args.x.size()),
          .bytes = 2.0 * static_cast<double>(args.x.bytes())};
}

static std::vector<Case> cases() {
  const auto sized = [](const char* name, std::int64_t images, std::int64_t height,
                        std::int64_t width, std::int64_t channels, std::int64_t size,
                        const char* kind, const char* border, Case c = {}) {
    c.name = name;
    c.dims = {{"images", images}, {"height", height}, {"width", width}, {"channels", channels}};
    c.scalars.emplace("size", size);
    c.scalars.emplace("kind", kind);
    c.scalars.emplace("border", border);
    return c;
  };
  const std::vector<DType> timed = {DType::u8, DType::f32, DType::bf16};
  return {
      sized("empty", 0, 8, 8, 3, 5, "box", "reflect"),
      sized("no columns", 2, 8, 0, 3, 5, "box", "reflect"),
      sized("no channels", 1, 5, 7, 0, 3, "gaussian", "reflect"),
      sized("one pixel", 1, 1, 1, 3, 3, "gaussian", "reflect"),
      sized("size 1", 1, 5, 7, 3, 1, "gaussian", "zero"),
      sized("3 x 3 box", 2, 13, 9, 3, 3, "box", "reflect"),
      sized("5 x 5", 2, 17, 23, 3, 5, "gaussian", "reflect"),
      sized("5 x 5 clamp", 1, 17, 23, 4, 5, "gaussian", "clamp"),
      sized("5 x 5 zero", 1, 17, 23, 3, 5, "box", "zero"),
      sized("planes", 3, 20, 31, 1, 7, "gaussian", "reflect"),
      sized("31 x 31", 1, 40, 37, 1, 31, "gaussian", "reflect"),
      sized("31 x 31 box", 1, 33, 34, 3, 31, "box", "clamp"),
      sized("wider than the image", 1, 3, 5, 2, 17, "gaussian", "reflect"),
      sized("several tiles", 1, 41, 91, 3, 5, "gaussian", "reflect"),
      sized("whole vectors", 2, 19, 28, 3, 5, "gaussian", "reflect"),
      sized("whole vectors box", 1, 18, 20, 1, 5, "box", "zero"),
      sized("whole vectors 3 x 3", 1, 9, 12, 3, 3, "gaussian", "clamp"),
      sized("two tiles of vectors", 1, 17, 176, 3, 5, "box", "reflect"),
      sized("special vectors", 1, 24, 24, 1, 5, "gaussian", "clamp", {.fill = Fill::special}),
      sized("tile-1", 1, 31, 255, 1, 3, "box", "clamp"),
      sized("tiles of a box", 2, 67, 131, 3, 9, "box", "reflect", {.dtypes = {DType::u8}}),
      sized("largest box", 1, 20, 70, 1, 127, "box", "zero", {.dtypes = {DType::u8}}),
      sized("strips", 1, 225, 176, 3, 5, "gaussian", "reflect"),
      sized("strips zero", 2, 79, 272, 1, 3, "box", "zero"),
      sized("strips 31 x 31", 1, 281, 112, 3, 31, "gaussian", "reflect", {.dtypes = {DType::u8}}),
      sized("strips 31 x 31 box", 1, 60, 176, 3, 31, "box", "clamp", {.dtypes = {DType::u8}}),
      sized("33 x 33", 1, 50, 64, 1, 33, "gaussian", "zero", {.dtypes = {DType::u8}}),
      sized("13 x 13", 1, 30, 96, 3, 13, "gaussian", "clamp", {.dtypes = {DType::u8}}),
      sized("one weight", 1, 20, 48, 3, 9, "gaussian", "reflect",
            {.scalars = {{"sigma", 0.1}}, .dtypes = {DType::u8}}),
      sized("sigma", 1, 12, 12, 1, 9, "gaussian", "zero", {.scalars = {{"sigma", 1.25}}}),
      sized("misaligned", 1, 11, 13, 3, 5, "box", "reflect", {.offset = 1}),
      sized("special", 1, 24, 24, 1, 3, "gaussian", "clamp", {.fill = Fill::special}),
      sized("8 of 4k, 5 x 5", 8, 2160, 3840, 3, 5, "gaussian", "reflect",
            {.dtypes = timed, .bench = true}),
      sized("8 of 4k, box", 8, 2160, 3840, 3, 5, "box", "clamp",
            {.dtypes = {DType::u8}, .bench = true}),
      sized("4k, 31 x 31", 1, 2160, 3840, 3, 31, "gaussian", "reflect",
            {.dtypes = {DType::u8, DType::f32}, .bench = true}),
      sized("8 of 4k, 31 x 31", 8, 2160, 3840, 3, 31, "gaussian", "reflect",
            {.dtypes = {DType::u8, DType::f32}, .bench = true}),
      sized("8 of 4k, 31 x 31 box", 8, 2160, 3840, 3, 31, "box", "reflect",
            {.dtypes = {DType::u8}, .bench = true}),
      sized("4k, 31 x 31 box", 1, 2160, 3840, 3, 31, "box", "reflect",
            {.dtypes = {DType::u8}, .bench = true}),
      sized("planes of odd sides", 24, 1439, 2559, 1, 5, "gaussian", "reflect",
            {.dtypes = {DType::f32}, .bench = true}),
  };
}

WARPATH_OP(Args, .reference = reference, .cases = cases, .cost = cost, .tolerance = tolerance);

}  // namespace warpath::blur
