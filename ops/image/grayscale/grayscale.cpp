#include "ops/image/grayscale/grayscale.h"

#include <cmath>

#include "core/host/parallel.h"
#include "core/host/registry.h"

namespace warpath::grayscale {

static double grey(double r, double g, double b, DType dtype) {
  if (dtype == DType::u8) return std::floor((19595 * r + 38470 * g + 7471 * b + 32768) / 65536);
  return 0.299 * r + 0.587 * g + 0.114 * b;
}
static double magnitude(double r, double g, double b) {
  return 0.299 * std::abs(r) + 0.587 * std::abs(g) + 0.114 * std::abs(b);
}

static void packed_reference(const Packed& args, const Packed& scale) {
  const std::int64_t channels = args.x.shape[args.x.rank - 1];
  check_channels(channels);
  const double* const x = args.x.as<double>();
  double *const y = args.y.as<double>(), *const s = scale.y.as<double>();
  const DType dtype = scale.y.dtype;
  parallel_for(args.y.size(), 1 << 14, [=](std::int64_t i) {
    const double* const p = x + i * channels;
    y[i] = grey(p[0], p[1], p[2], dtype);
    s[i] = magnitude(p[0], p[1], p[2]);
  });
}

static void planes_reference(const Planes& args, const Planes& scale) {
  const std::int64_t channels = args.x.shape[1], plane = args.x.shape[2] * args.x.shape[3];
  check_channels(channels);
  const double* const x = args.x.as<double>();
  double *const y = args.y.as<double>(), *const s = scale.y.as<double>();
  const DType dtype = scale.y.dtype;
  parallel_for(args.y.size(), 1 << 14, [=](std::int64_t i) {
    const double* const p = x + i / plane * channels * plane + i % plane;
    y[i] = grey(p[0], p[plane], p[2 * plane], dtype);
    s[i] = magnitude(p[0], p[plane], p[2 * plane]);
  });
}

// The first pixel is white and the second black.
static void prepare(const Packed& args) {
  const std::int64_t channels = args.x.shape[args.x.rank - 1];
  for (std::int64_t i = 0; i < std::min<std::int64_t>(2 * channels, args.x.size()); ++i)
    args.x.as<double>()[i] = i < channels ? 255 : 0;
}
static void prepare(const Planes& args) {
  const std::int64_t plane = args.x.shape[2] * args.x.shape[3];
  if (args.x.size() == 0) return;
  for (std::int64_t c = 0; c < args.x.shape[1]; ++c) {
    args.x.as<double>()[c * plane] = 255;
    if (plane > 1) args.x.as<double>()[c * plane + 1] = 0;
  }
}

// Three products, two sums and the factors themselves, in float. Bytes are exact.
template <class Args>
static Tolerance tolerance(const Args&) {
  return {.out_ulps = 1, .f32_ulps = 2};
}
template <class Args>
static Cost cost(const Args& args) {
  return {.flops = 5.0 * static_cast<double>(args.y.size()),
          .bytes = static_cast<double>(args.x.bytes() + args.y.bytes())};
}

static std::vector<Case> packed_cases() {
  const auto sized = [](const char* name, std::int64_t pixels, std::int64_t channels, Case c = {}) {
    c.name = name;
    c.dims = {{"pixels", pixels}, {"channels", channels}};
    return c;
  };
  constexpr std::int64_t images = 8LL * 3840 * 2160;
  return {
      sized("empty", 0, 3),
      sized("white", 1, 3),
      sized("white and black", 2, 4),
      sized("vector+1", 17, 3),
      sized("prime", 5003, 3),
      sized("prime RGBA", 5003, 4),
      sized("warp tile", 512, 3),
      sized("warp tile-1", 511, 3),
      sized("block+1", 4097, 3),
      sized("block RGBA", 4096, 4),
      sized("five channels", 300, 5),
      sized("misaligned", 2051, 3, {.offset = 1}),
      sized("misaligned RGBA", 2051, 4, {.offset = 1}),
      sized("y misaligned", 1040, 3, {.offsets = {{"y", 1}}}),
      sized("few values", 600, 3, {.fill = Fill::ties}),
      sized("extreme", 600, 3, {.fill = Fill::extreme, .dtypes = {DType::u8}}),
      sized("special", 1000, 3, {.fill = Fill::special}),
      sized("special RGBA", 1000, 4, {.fill = Fill::special}),
      sized("8 of 4k", images, 3, {.dtypes = {DType::u8, DType::f32, DType::bf16}, .bench = true}),
      sized("8 of 4k RGBA", images, 4, {.dtypes = {DType::u8}, .bench = true}),
      sized("odd", images / 2 + 1, 3, {.dtypes = {DType::u8}, .bench = true}),
  };
}

static std::vector<Case> planes_cases() {
  const auto sized = [](const char* name, std::int64_t batch, std::int64_t channels,
                        std::int64_t height, std::int64_t width, Case c = {}) {
    c.name = name;
    c.dims = {{"batch", batch}, {"channels", channels}, {"height", height}, {"width", width}};
    return c;
  };
  return {
      sized("empty", 0, 3, 4, 4),
      sized("no rows", 2, 3, 0, 4),
      sized("white", 1, 3, 1, 1),
      sized("images", 3, 3, 8, 20),
      sized("odd", 3, 3, 7, 13),
      sized("RGBA", 2, 4, 16, 16),
      sized("several blocks", 2, 3, 64, 72),
      sized("misaligned", 2, 3, 8, 40, {.offset = 1}),
      sized("special", 2, 4, 16, 20, {.fill = Fill::special}),
      sized("8 of 4k", 8, 3, 2160, 3840,
            {.dtypes = {DType::u8, DType::f32, DType::bf16}, .bench = true}),
      sized("odd sides", 8, 3, 1439, 2559, {.dtypes = {DType::u8}, .bench = true}),
  };
}

WARPATH_OP(Packed, .reference = packed_reference, .cases = packed_cases, .cost = cost<Packed>,
           .tolerance = tolerance<Packed>, .prepare = prepare);
WARPATH_OP(Planes, .reference = planes_reference, .cases = planes_cases, .cost = cost<Planes>,
           .tolerance = tolerance<Planes>, .prepare = prepare);

}  // namespace warpath::grayscale
