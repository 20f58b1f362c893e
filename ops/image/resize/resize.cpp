#include "ops/image/resize/resize.h"

#include <algorithm>
#include <cmath>

#include "core/host/parallel.h"
#include "core/host/registry.h"
#include "ops/image/resize/weights.h"

namespace warpath::resize {

// The weights of all results along one axis, from the first pixel on.
struct Line {
  std::int64_t first;
  std::vector<double> weights;
};
static std::vector<Line> lines(const Axis& axis, bool bytes) {
  std::vector<Line> all;
  for (std::int64_t o = 0; o < axis.out; ++o) {
    const std::int64_t total = total_weight(axis, o);
    ByteWeights units{total};
    Line line{axis.first(o), {}};
    for (std::int64_t j = line.first; j < axis.end(o); ++j)
      line.weights.push_back(bytes ? units.next(axis.weight(o, j))
                                   : static_cast<double>(axis.weight(o, j)) /
                                         static_cast<double>(total));
    all.push_back(std::move(line));
  }
  return all;
}

static void reference(const Args& args, const Args& scale) {
  check_sizes(args);
  if (args.y.size() == 0) return;
  const bool bytes = scale.y.dtype == DType::u8;
  const std::int64_t height = args.x.shape[1], width = args.x.shape[2], channels = args.x.shape[3];
  const std::int64_t out_height = args.y.shape[1], out_width = args.y.shape[2];
  const std::vector<Line> down = lines(Axis::of(height, out_height, args.antialias), bytes);
  const std::vector<Line> across = lines(Axis::of(width, out_width, args.antialias), bytes);
  parallel_for(args.x.shape[0] * out_height, 4, [&](std::int64_t i) {
    const double* const x = args.x.as<double>() + i / out_height * height * width * channels;
    const Line& v = down[static_cast<std::size_t>(i % out_height)];
    for (std::int64_t e = 0; e < out_width * channels; ++e) {
      const Line& h = across[static_cast<std::size_t>(e / channels)];
      double sum = 0, part = 0;
      for (std::size_t r = 0; r < v.weights.size(); ++r)
        for (std::size_t c = 0; c < h.weights.size(); ++c) {
          const std::int64_t row = v.first + static_cast<std::int64_t>(r);
          const std::int64_t col = h.first + static_cast<std::int64_t>(c);
          const double term =
              v.weights[r] * h.weights[c] * x[(row * width + col) * channels + e % channels];
          sum += term;
          part += std::abs(term);
        }
      if (bytes) sum = std::floor(std::ldexp(sum, -2 * unit_bits) + 0.5);
      args.y.as<double>()[i * out_width * channels + e] = sum;
      scale.y.as<double>()[i * out_width * channels + e] = part;
    }
  });
}

// As many roundings in a row as there are pixels in a result; with random signs the root of that number is left.
static Tolerance tolerance(const Args& args) {
  const auto ratio = [](std::int64_t in, std::int64_t out) {
    return static_cast<double>(in) / static_cast<double>(std::max<std::int64_t>(out, 1)) + 1;
  };
  const double taps =
      4 * ratio(args.x.shape[1], args.y.shape[1]) * ratio(args.x.shape[2], args.y.shape[2]);
  return {.out_ulps = 1, .f32_ulps = 2 + std::sqrt(taps)};
}

// All pixels are read; without antialias at most four per result.
static Cost cost(const Args& args) {
  const auto y = static_cast<double>(args.y.bytes()), x = static_cast<double>(args.x.bytes());
  return {.flops = 8.0 * static_cast<double>(args.y.size()),
          .bytes = y + (args.antialias ? x : std::min(x, 4 * y))};
}

static std::vector<Case> cases() {
  const auto sized = [](const char* name, std::int64_t images, std::int64_t height,
                        std::int64_t width, std::int64_t channels, std::int64_t out_height,
                        std::int64_t out_width, bool antialias, Case c = {}) {
    c.name = name;
    c.dims = {{"images", images},     {"height", height},         {"width", width},
              {"channels", channels}, {"out_height", out_height}, {"out_width", out_width}};
    c.scalars.emplace("antialias", antialias);
    return c;
  };
  return {
      sized("empty", 0, 8, 8, 3, 4, 4, true),
      sized("no results", 2, 8, 8, 3, 0, 4, true),
      sized("one pixel", 1, 1, 1, 3, 4, 5, true),
      sized("to one pixel", 2, 7, 9, 3, 1, 1, true),
      sized("to one pixel plain", 2, 7, 9, 3, 1, 1, false),
      sized("same size", 1, 9, 11, 3, 9, 11, true),
      sized("half", 2, 16, 20, 3, 8, 10, true),
      sized("half plain", 2, 16, 20, 3, 8, 10, false),
      sized("third", 1, 21, 31, 1, 7, 10, true),
      sized("twice", 1, 7, 9, 3, 14, 18, true),
      sized("larger plain", 1, 7, 9, 4, 17, 22, false),
      sized("smaller and larger", 2, 30, 7, 3, 11, 20, true),
      sized("several blocks", 1, 6, 40, 3, 9, 200, true),
      sized("much smaller", 1, 60, 90, 1, 3, 4, true),
      sized("much smaller plain", 1, 60, 90, 1, 3, 4, false),
      sized("misaligned", 1, 13, 11, 3, 6, 7, true, {.offset = 1}),
      sized("special", 1, 24, 24, 1, 10, 10, true, {.fill = Fill::special}),
      sized("4k to 1080p", 8, 2160, 3840, 3, 1080, 1920, true,
            {.dtypes = {DType::u8, DType::f32}, .bench = true}),
      sized("4k to 224", 32, 2160, 3840, 3, 224, 224, true, {.dtypes = {DType::u8}, .bench = true}),
      sized("1080p to 4k", 8, 1080, 1920, 3, 2160, 3840, false,
            {.dtypes = {DType::u8, DType::bf16}, .bench = true}),
      sized("ImageNet", 256, 375, 500, 3, 256, 341, true, {.dtypes = {DType::u8}, .bench = true}),
  };
}

WARPATH_OP(Args, .reference = reference, .cases = cases, .cost = cost, .tolerance = tolerance);

}  // namespace warpath::resize
