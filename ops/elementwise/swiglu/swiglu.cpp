#include "ops/elementwise/swiglu/swiglu.h"

#include <algorithm>
#include <cmath>

#include "core/host/parallel.h"
#include "core/host/registry.h"

namespace warpath::swiglu {

static double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

// The argument of exp is rounded, which becomes a relative error of |gate| roundings where the sigmoid is small;
// further down, where it is below the smallest normal float, it may be taken as zero.
static double error_of_silu(double gate, double silu) {
  return std::max(std::abs(silu) * (1 + std::min(std::abs(gate), 100.0)),
                  std::abs(gate) * (0x1p23 / 4 * 0x1p-126));
}

static void forward(double gate, double up, double& y, double& error) {
  const double silu = gate * sigmoid(gate);
  y = silu * up;
  error = error_of_silu(gate, silu) * std::abs(up);
}

// 1 - s has an error of one rounding of 1, which the gate multiplies; s rounds to 1 where it is over 17.
static void backward(double gate, double up, double dy, double& dgate, double& dup,
                     double& gate_error, double& up_error) {
  const double s = sigmoid(gate);
  dgate = dy * up * (s * (1 + gate * (1 - s)));
  gate_error = std::abs(dy * up) * (1 + std::min(std::abs(gate), 17.0));
  dup = dy * (gate * s);
  up_error = error_of_silu(gate, gate * s) * std::abs(dy);
}

static void forward_reference(const Forward& args, const Forward& scale) {
  const double *gate = args.gate.as<double>(), *up = args.up.as<double>();
  double *y = args.y.as<double>(), *error = scale.y.as<double>();
  parallel_for(args.y.size(), 1 << 15,
               [=](std::int64_t i) { forward(gate[i], up[i], y[i], error[i]); });
}

static void backward_reference(const Backward& args, const Backward& scale) {
  const double *gate = args.gate.as<double>(), *up = args.up.as<double>();
  const double* dy = args.dy.as<double>();
  double *dgate = args.dgate.as<double>(), *dup = args.dup.as<double>();
  double *gate_error = scale.dgate.as<double>(), *up_error = scale.dup.as<double>();
  parallel_for(args.dy.size(), 1 << 15, [=](std::int64_t i) {
    backward(gate[i], up[i], dy[i], dgate[i], dup[i], gate_error[i], up_error[i]);
  });
}

static void packed_reference(const Packed& args, const Packed& scale) {
  const std::int64_t cols = args.y.shape[1];
  parallel_for(args.y.size(), 1 << 15, [&, cols](std::int64_t i) {
    const std::int64_t at = i / cols * 2 * cols + i % cols;  // of the gate
    const double* x = args.x.as<double>();
    forward(x[at], x[at + cols], args.y.as<double>()[i], scale.y.as<double>()[i]);
  });
}

static void packed_backward_reference(const PackedBackward& args, const PackedBackward& scale) {
  const std::int64_t cols = args.dy.shape[1];
  parallel_for(args.dy.size(), 1 << 15, [&, cols](std::int64_t i) {
    const std::int64_t at = i / cols * 2 * cols + i % cols;
    const double* x = args.x.as<double>();
    double *dx = args.dx.as<double>(), *error = scale.dx.as<double>();
    backward(x[at], x[at + cols], args.dy.as<double>()[i], dx[at], dx[at + cols], error[at],
             error[at + cols]);
  });
}

// Four roundings in float for the silu, one or two for the products.
template <class Args>
static Tolerance tolerance(const Args&) {
  return {.out_ulps = 1, .f32_ulps = 5};
}

// Operations per element, exp counted as one; each input is read once, each output written once.
static Cost forward_cost(const Tensor& y) {
  return {.flops = 6.0 * static_cast<double>(y.size()),
          .bytes = 3.0 * static_cast<double>(y.bytes())};
}
static Cost backward_cost(const Tensor& dy) {
  return {.flops = 13.0 * static_cast<double>(dy.size()),
          .bytes = 5.0 * static_cast<double>(dy.bytes())};
}
static Cost cost(const Forward& args) {
  return forward_cost(args.y);
}
static Cost cost(const Packed& args) {
  return forward_cost(args.y);
}
static Cost cost(const Backward& args) {
  return backward_cost(args.dy);
}
static Cost cost(const PackedBackward& args) {
  return backward_cost(args.dy);
}

// A block of the vector rungs computes 512 elements in f32, 2048 in 16 bits.
static std::vector<Case> sizes() {
  return {
      {.name = "empty", .dims = {{"n", 0}}},
      {.name = "one", .dims = {{"n", 1}}},
      {.name = "block+1", .dims = {{"n", 2049}}},
      {.name = "prime", .dims = {{"n", 4999}}},
      {.name = "misaligned", .dims = {{"n", 4099}}, .offset = 1},
      {.name = "misaligned differently", .dims = {{"n", 4099}}, .offsets = {{"up", 1}}},
      {.name = "ramp", .dims = {{"n", 4000}}, .fill = Fill::ramp},
      {.name = "low", .dims = {{"n", 1000}}, .fill = Fill::low},
      {.name = "special", .dims = {{"n", 5000}}, .fill = Fill::special},
      {.name = "4k x 14336", .dims = {{"n", 4096 * 14336}}, .bench = true},
      {.name = "4k x 11007", .dims = {{"n", 4096 * 11007}}, .dtypes = {DType::bf16}, .bench = true},
  };
}
static std::vector<Case> forward_cases() {
  std::vector<Case> all = sizes();
  all.push_back({.name = "in place", .dims = {{"n", 5003}}, .in_place = {"y"}, .offset = 2});
  return all;
}

static std::vector<Case> packed_cases() {
  return {
      {.name = "empty", .dims = {{"rows", 0}, {"cols", 8}}},
      {.name = "no columns", .dims = {{"rows", 3}, {"cols", 0}}},
      {.name = "one", .dims = {{"rows", 1}, {"cols", 1}}},
      {.name = "columns of one", .dims = {{"rows", 700}, {"cols", 1}}},
      {.name = "vector", .dims = {{"rows", 150}, {"cols", 8}}},
      {.name = "odd", .dims = {{"rows", 13}, {"cols", 257}}},
      {.name = "block+8", .dims = {{"rows", 3}, {"cols", 2056}}},
      {.name = "misaligned", .dims = {{"rows", 5}, {"cols", 512}}, .offset = 1},
      {.name = "misaligned differently",
       .dims = {{"rows", 5}, {"cols", 512}},
       .offsets = {{"x", 1}}},
      {.name = "ramp", .dims = {{"rows", 7}, {"cols", 600}}, .fill = Fill::ramp},
      {.name = "special", .dims = {{"rows", 40}, {"cols", 64}}, .fill = Fill::special},
      {.name = "4k x 14336", .dims = {{"rows", 4096}, {"cols", 14336}}, .bench = true},
      {.name = "4k x 11007",
       .dims = {{"rows", 4096}, {"cols", 11007}},
       .dtypes = {DType::bf16},
       .bench = true},
  };
}

WARPATH_OP(Forward, .reference = forward_reference, .cases = forward_cases, .cost = cost,
           .tolerance = tolerance<Forward>);
WARPATH_OP(Backward, .reference = backward_reference, .cases = sizes, .cost = cost,
           .tolerance = tolerance<Backward>);
WARPATH_OP(Packed, .reference = packed_reference, .cases = packed_cases, .cost = cost,
           .tolerance = tolerance<Packed>);
WARPATH_OP(PackedBackward, .reference = packed_backward_reference, .cases = packed_cases,
           .cost = cost, .tolerance = tolerance<PackedBackward>);

}  // namespace warpath::swiglu
