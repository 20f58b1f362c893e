#include "ops/norm/adaptive_norm/adaptive_norm.h"

#include <cmath>

#include "core/host/parallel.h"
#include "core/host/registry.h"
#include "ops/norm/reference.h"

// In float64 the tensors lie in rows, whatever the strides of the kernel's are.
namespace warpath::adaptive_norm {

using norm::bytes, norm::roundings;

struct Sizes {
  std::int64_t images, tokens, cols;
  explicit Sizes(const Tensor& x) : images(x.shape[0]), tokens(x.shape[1]), cols(x.shape[2]) {}
};

static void forward_reference(const Forward& args, const Forward& error_scale) {
  const auto [images, tokens, cols] = Sizes(args.x);
  const double eps = static_cast<float>(args.eps);  // kernels get it as a float
  parallel_for(images * tokens, 1, [&, tokens = tokens, cols = cols](std::int64_t r) {
    const double* x = args.x.as<double>() + r * cols;
    const double* scale = args.scale.as<double>() + r / tokens * cols;
    const double* shift = args.shift.as<double>() + r / tokens * cols;
    const norm::Moments m = norm::moments(x, cols, eps);
    const norm::MomentsError e = norm::moments_error(x, cols, m);
    for (std::int64_t c = 0; c < cols; ++c) {
      const double n = (x[c] - m.mean) * m.rstd;
      args.y.as<double>()[r * cols + c] = n * (1 + scale[c]) + shift[c];
      error_scale.y.as<double>()[r * cols + c] =
          (1 + std::abs(scale[c])) * (std::abs(n) * e.slope + e.size * m.rstd) + std::abs(shift[c]);
    }
    norm::put_moments(args, error_scale, r, m, e);
  });
}

// Sums over the tokens of each image; term(row, column) is what a token adds.
template <class F>
static void sums_per_image(const Tensor& x, F term, const Tensor& out, const Tensor& error_scale) {
  const auto [images, tokens, cols] = Sizes(x);
  parallel_for(images * cols, 16, [&, tokens = tokens, cols = cols](std::int64_t i) {
    double sum = 0, size = 0;
    for (std::int64_t row = i / cols * tokens; row < (i / cols + 1) * tokens; ++row) {
      const double v = term(row, i % cols);
      sum += v;
      size += v * v;
    }
    out.as<double>()[i] = sum;
    error_scale.as<double>()[i] = std::abs(sum) + std::sqrt(size);
  });
}

static void backward_reference(const Backward& args, const Backward& error_scale) {
  const auto [images, tokens, cols] = Sizes(args.x);
  const auto normal = [&, cols = cols](std::int64_t r, std::int64_t c) {
    return (args.x.as<double>()[r * cols + c] - args.mean.as<double>()[r]) *
           args.rstd.as<double>()[r];
  };
  const auto slope = [&, tokens = tokens, cols = cols](std::int64_t r, std::int64_t c) {
    return args.dy.as<double>()[r * cols + c] *
           (1 + args.scale.as<double>()[r / tokens * cols + c]);
  };
  // 1 + scale is rounded to a float, which is relative to the larger of the two.
  const auto slope_size = [&, tokens = tokens, cols = cols](std::int64_t r, std::int64_t c) {
    return std::abs(args.dy.as<double>()[r * cols + c]) *
           (1 + std::abs(args.scale.as<double>()[r / tokens * cols + c]));
  };
  parallel_for(images * tokens, 1, [&, cols = cols](std::int64_t r) {
    norm::gradient_of_row(r, cols, args.rstd.as<double>()[r], slope, slope_size, normal, args.dx,
                          error_scale.dx);
    if (!args.ds.data) return;
    for (std::int64_t i = r * cols; i < (r + 1) * cols; ++i) {
      args.dx.as<double>()[i] += args.ds.as<double>()[i];
      error_scale.dx.as<double>()[i] += std::abs(args.ds.as<double>()[i]);
    }
  });
  const auto dy = [&, cols = cols](std::int64_t r, std::int64_t c) {
    return args.dy.as<double>()[r * cols + c];
  };
  sums_per_image(
      args.x, [&](std::int64_t r, std::int64_t c) { return dy(r, c) * normal(r, c); }, args.dscale,
      error_scale.dscale);
  sums_per_image(args.x, dy, args.dshift, error_scale.dshift);
}

static void gate_reference(const Gate& args, const Gate& error_scale) {
  const auto [images, tokens, cols] = Sizes(args.x);
  parallel_for(args.x.size(), 1 << 14, [&, tokens = tokens, cols = cols](std::int64_t i) {
    const double gate = args.gate.as<double>()[i / (tokens * cols) * cols + i % cols];
    const double residual = args.residual.as<double>()[i], product = gate * args.x.as<double>()[i];
    args.y.as<double>()[i] = residual + product;
    error_scale.y.as<double>()[i] = std::abs(residual) + std::abs(product);
  });
}

static void gate_backward_reference(const GateBackward& args, const GateBackward& error_scale) {
  const auto [images, tokens, cols] = Sizes(args.x);
  parallel_for(args.x.size(), 1 << 14, [&, tokens = tokens, cols = cols](std::int64_t i) {
    const double gate = args.gate.as<double>()[i / (tokens * cols) * cols + i % cols];
    args.dx.as<double>()[i] = gate * args.dy.as<double>()[i];
    error_scale.dx.as<double>()[i] = std::abs(args.dx.as<double>()[i]);
  });
  const auto product = [&, cols = cols](std::int64_t r, std::int64_t c) {
    return args.dy.as<double>()[r * cols + c] * args.x.as<double>()[r * cols + c];
  };
  sums_per_image(args.x, product, args.dgate, error_scale.dgate);
}

static void make_moments(const Backward& args) {
  norm::make_moments(args, args.x.shape[2], 1e-6);
}

static Tolerance tolerance(const Forward& args) {
  return {.out_ulps = 1, .f32_ulps = roundings(args.x.shape[2])};
}
static Tolerance tolerance(const Backward& args) {
  return {.out_ulps = 1, .f32_ulps = roundings(std::max(args.x.shape[1], args.x.shape[2]))};
}
static Tolerance tolerance(const Gate&) {
  return {.out_ulps = 1, .f32_ulps = 1};
}
static Tolerance tolerance(const GateBackward& args) {
  return {.out_ulps = 1, .f32_ulps = roundings(args.x.shape[1])};
}

// Operations per element: layer_norm's seven without a weight and a bias are five, then scale and shift; backward:
// normalise (2), scale, two sums (3), dx (4), two sums over the tokens (3).
static Cost cost(const Forward& args) {
  return {.flops = 7.0 * static_cast<double>(args.x.size()),
          .bytes = bytes({args.x, args.scale, args.shift, args.y, args.mean, args.rstd})};
}
static Cost cost(const Backward& args) {
  return {.flops = 13.0 * static_cast<double>(args.x.size()),
          .bytes = bytes({args.x, args.dy, args.mean, args.rstd, args.scale, args.ds, args.dx,
                          args.dscale, args.dshift})};
}
static Cost cost(const Gate& args) {
  return {.flops = 2.0 * static_cast<double>(args.x.size()),
          .bytes = bytes({args.residual, args.x, args.gate, args.y})};
}
static Cost cost(const GateBackward& args) {
  return {.flops = 3.0 * static_cast<double>(args.x.size()),
          .bytes = bytes({args.dy, args.x, args.gate, args.dx, args.dgate})};
}

static Case sized(const char* name, std::int64_t images, std::int64_t tokens, std::int64_t cols,
                  Case c = {}) {
  c.name = name;
  c.dims = {{"images", images}, {"tokens", tokens}, {"cols", cols}};
  return c;
}

static std::map<std::string, Layout> laid(const std::vector<const char*>& names, Layout layout) {
  std::map<std::string, Layout> all;
  for (const char* name : names) all.emplace(name, layout);
  return all;
}

// `per_image`: the inputs with a row per image.
static std::vector<Case> sizes(const std::vector<const char*>& per_image) {
  const auto as = [&](Layout layout) { return Case{.layouts = laid(per_image, layout)}; };
  return {
      sized("no images", 0, 3, 8),
      sized("no tokens", 3, 0, 40),
      sized("one", 1, 1, 1),
      sized("one image", 1, 70, 33),
      sized("one token each", 70, 1, 33),
      sized("more images than tokens", 7, 3, 257),
      sized("packed", 3, 11, 384, as(Layout::padded)),
      sized("odd and packed", 3, 5, 99, as(Layout::padded)),
      sized("columns apart", 3, 4, 60, as(Layout::spread)),
      sized("one row for all", 4, 6, 72, as(Layout::broadcast)),
      sized("1152", 2, 9, 1152),
      sized("misaligned", 2, 3, 520, {.offset = 1}),
      sized("half-aligned", 2, 3, 514, {.offset = 2}),
      sized("odd and long", 2, 1, 9001),
      sized("wide", 2, 3, 999, {.fill = Fill::wide}),
  };
}

// The shapes of DiT-XL/2 at 256 and 512 pixels, of DiT-S/2, and of one large image.
static void add_timed(std::vector<Case>& all, const std::vector<const char*>& per_image) {
  const Case bench = {
      .dtypes = {DType::bf16}, .layouts = laid(per_image, Layout::padded), .bench = true};
  all.push_back(sized("256 tokens of 1152", 256, 256, 1152, bench));
  all.push_back(sized("1k tokens of 1152", 64, 1024, 1152, bench));
  all.push_back(sized("256 tokens of 384", 768, 256, 384, bench));
  all.push_back(sized("one image of 3072", 1, 24576, 3072, bench));
  Case wide = bench;
  wide.dtypes = {DType::f32};
  all.push_back(sized("1152 in 32 bits", 128, 256, 1152, wide));
}

static std::vector<Case> forward_cases() {
  std::vector<Case> all = sizes({"scale", "shift"});
  all.push_back(sized("no columns", 3, 2, 0, {.without = {"mean", "rstd"}}));
  all.push_back(sized("longer than registers", 1, 2, 33000, {.dtypes = {DType::bf16}}));
  all.push_back(
      sized("far from zero", 2, 3, 1000, {.scalars = {{"eps", 0.25}}, .dtypes = {DType::f32}}));
  all.push_back(sized("large eps", 2, 5, 100, {.scalars = {{"eps", 10}}, .without = {"rstd"}}));
  all.push_back(sized("special", 9, 10, 60, {.fill = Fill::special, .without = {"mean"}}));
  add_timed(all, {"scale", "shift"});
  return all;
}

static std::vector<Case> backward_cases() {
  std::vector<Case> all = sizes({"scale"});
  all.push_back(sized("no columns", 3, 2, 0));
  all.push_back(sized("many tokens", 2, 300, 40));
  all.push_back(sized("tokens of four warps", 2, 41, 1032));
  all.push_back(sized("tokens of a block", 1, 7, 4096));
  all.push_back(sized("no ds", 2, 5, 304, {.without = {"ds"}}));
  add_timed(all, {"scale"});
  return all;
}

static std::vector<Case> gate_cases() {
  std::vector<Case> all = sizes({"gate"});
  all.push_back(sized("in place", 3, 7, 304, {.in_place = {"y"}}));
  all.push_back(sized("special", 9, 10, 60, {.fill = Fill::special}));
  add_timed(all, {"gate"});
  return all;
}

static std::vector<Case> gate_backward_cases() {
  std::vector<Case> all = sizes({"gate"});
  all.push_back(sized("many tokens", 2, 300, 40));
  all.push_back(sized("several slabs", 2, 9, 4104));
  add_timed(all, {"gate"});
  return all;
}

WARPATH_OP(Forward, .reference = forward_reference, .cases = forward_cases, .cost = cost,
           .tolerance = tolerance, .prepare = norm::move_away<Forward>);
WARPATH_OP(Backward, .reference = backward_reference, .cases = backward_cases, .cost = cost,
           .tolerance = tolerance, .prepare = make_moments);
WARPATH_OP(Gate, .reference = gate_reference, .cases = gate_cases, .cost = cost,
           .tolerance = tolerance);
WARPATH_OP(GateBackward, .reference = gate_backward_reference, .cases = gate_backward_cases,
           .cost = cost, .tolerance = tolerance);

}  // namespace warpath::adaptive_norm
