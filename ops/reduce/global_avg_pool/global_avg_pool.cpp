#include "ops/reduce/global_avg_pool/global_avg_pool.h"

#include <cmath>

#include "core/host/parallel.h"
#include "core/host/registry.h"

namespace warpath::global_avg_pool {

// In float64 the tensors lie in rows, whatever the strides of the kernel's are.
static void reference(const Forward& args, const Forward& scale) {
  const std::int64_t pixels = args.x.shape[2];
  parallel_for(args.y.size(), 16, [&](std::int64_t r) {
    const double* const row = args.x.as<double>() + r * pixels;
    double sum = 0, magnitude = 0;
    for (std::int64_t i = 0; i < pixels; ++i) {
      sum += row[i];
      magnitude += std::abs(row[i]);
    }
    args.y.as<double>()[r] = sum / static_cast<double>(pixels);
    scale.y.as<double>()[r] = magnitude / static_cast<double>(pixels);
  });
}

static void reference(const Backward& args, const Backward&) {
  const std::int64_t pixels = args.dx.shape[2];
  parallel_for(args.dx.size(), 1 << 14, [&](std::int64_t i) {
    args.dx.as<double>()[i] = args.dy.as<double>()[i / pixels] / static_cast<double>(pixels);
  });
}

static Cost cost(const Forward& args) {
  return {.flops = static_cast<double>(args.x.size()),
          .bytes = static_cast<double>(args.x.bytes() + args.y.bytes())};
}
static Cost cost(const Backward& args) {
  return {.flops = static_cast<double>(args.dx.size()),
          .bytes = static_cast<double>(args.dy.bytes() + args.dx.bytes())};
}

// Measured against the mean of magnitudes: with terms of random sign the roundings of a chain stay at a few units of it.
static Tolerance tolerance(const Forward&) {
  return {.out_ulps = 1, .f32_ulps = 8};
}
static Tolerance tolerance(const Backward&) {
  return {.out_ulps = 1, .f32_ulps = 1};
}

static Case sized(const char* name, std::int64_t batch, std::int64_t channels, std::int64_t pixels,
                  Case c = {}) {
  c.name = name;
  c.dims = {{"batch", batch}, {"channels", channels}, {"pixels", pixels}};
  return c;
}

static std::vector<Case> forward_cases() {
  const std::map<std::string, Layout> last = {{"x", Layout::columns}};
  std::vector<Case> all = {
      sized("empty", 0, 8, 49),
      sized("one", 1, 1, 1),
      sized("no pixels", 2, 3, 0),
      sized("7x7", 3, 64, 49),
      sized("7x7, odd", 1, 37, 49),
      sized("14x14", 2, 33, 196),
      sized("one pixel", 5, 67, 1),
      sized("28x28", 1, 13, 784),
      sized("56x56", 1, 5, 3136),
      sized("prime", 2, 3, 10'007),
      sized("misaligned", 2, 19, 64, {.offset = 1}),
      sized("special", 4, 30, 49, {.fill = Fill::special}),
      sized("wide", 2, 9, 333, {.fill = Fill::wide}),
      sized("last 7x7", 3, 64, 49, {.layouts = last}),
      sized("last, odd", 2, 37, 50, {.layouts = last}),
      sized("last, few channels", 2, 3, 1000, {.layouts = last}),
      sized("last, many channels", 1, 300, 17, {.fill = Fill::special, .layouts = last}),
      sized("last, misaligned", 1, 64, 33, {.layouts = last, .offset = 1}),
      sized("padded", 2, 5, 70, {.layouts = {{"x", Layout::padded}}}),
      sized("spread", 2, 5, 70, {.layouts = {{"x", Layout::spread}}}),
  };
  const std::vector<DType> timed = {DType::f32, DType::bf16};
  for (const bool channels_last : {false, true}) {
    const auto add = [&](const char* name, std::int64_t batch, std::int64_t channels,
                         std::int64_t pixels) {
      Case c{.dtypes = timed, .bench = true};
      if (channels_last) c.layouts = last;
      c = sized(name, batch, channels, pixels, c);
      if (channels_last) c.name += " last";
      all.push_back(c);
    };
    add("ResNet-50, 512x2048x7x7", 512, 2048, 49);
    add("14x14, 256x1280x14x14", 256, 1280, 196);
    add("56x56, 256x256x56x56", 256, 256, 3136);
  }
  return all;
}

static std::vector<Case> backward_cases() {
  const std::vector<DType> timed = {DType::f32, DType::bf16};
  return {
      sized("empty", 0, 8, 49),
      sized("one", 1, 1, 1),
      sized("7x7", 3, 64, 49),
      sized("7x7, odd", 1, 37, 49),
      sized("14x14", 2, 33, 196),
      sized("one pixel", 5, 67, 1),
      sized("56x56", 1, 5, 3136),
      sized("misaligned", 2, 19, 64, {.offset = 1}),
      sized("special", 4, 30, 49, {.fill = Fill::special}),
      sized("ResNet-50, 512x2048x7x7", 512, 2048, 49, {.dtypes = timed, .bench = true}),
      sized("56x56, 256x256x56x56", 256, 256, 3136, {.dtypes = timed, .bench = true}),
  };
}

WARPATH_OP(Forward, .reference = reference, .cases = forward_cases, .cost = cost,
           .tolerance = tolerance);
WARPATH_OP(Backward, .reference = reference, .cases = backward_cases, .cost = cost,
           .tolerance = tolerance);

}  // namespace warpath::global_avg_pool
