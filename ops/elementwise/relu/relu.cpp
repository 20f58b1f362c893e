#include "ops/elementwise/relu/relu.h"

#include "core/host/parallel.h"
#include "core/host/registry.h"

namespace warpath::relu {

static void forward_reference(const Forward& args, const Forward&) {
  const double* x = args.x.as<double>();
  double* y = args.y.as<double>();
  parallel_for(args.x.size(), 1 << 16, [=](std::int64_t i) { y[i] = x[i] <= 0 ? 0 : x[i]; });
}

static void backward_reference(const Backward& args, const Backward&) {
  const double* x = args.x.as<double>();
  const double* dy = args.dy.as<double>();
  double* dx = args.dx.as<double>();
  parallel_for(args.x.size(), 1 << 16, [=](std::int64_t i) { dx[i] = x[i] <= 0 ? 0 : dy[i]; });
}

static Cost cost(const Forward& args) {
  return {.flops = static_cast<double>(args.x.size()),
          .bytes = 2.0 * static_cast<double>(args.x.bytes())};
}
static Cost cost(const Backward& args) {
  return {.flops = static_cast<double>(args.x.size()),
          .bytes = 3.0 * static_cast<double>(args.x.bytes())};
}

// Nothing is rounded: every bit must be right.
template <class Args>
static Tolerance exact(const Args&) {
  return {.out_ulps = 0};
}

// A block of the vector rungs computes 512 elements in f32, 2048 in 16 bits.
static std::vector<Case> sizes(const char* input, const char* output) {
  return {
      {.name = "empty", .dims = {{"n", 0}}},
      {.name = "one", .dims = {{"n", 1}}},
      {.name = "vector-1", .dims = {{"n", 7}}, .offset = 3},
      {.name = "block-1", .dims = {{"n", 511}}},
      {.name = "block+1", .dims = {{"n", 2049}}},
      {.name = "prime", .dims = {{"n", 10007}}},
      {.name = "misaligned", .dims = {{"n", 4099}}, .offset = 1},
      {.name = "misaligned differently", .dims = {{"n", 4099}}, .offsets = {{input, 1}}},
      {.name = "in place", .dims = {{"n", 5003}}, .in_place = {output}, .offset = 2},
      {.name = "special", .dims = {{"n", 5000}}, .fill = Fill::special},
      // Not in bf16: Triton's interpreter, which runs the twin, takes subnormal ones as zero.
      {.name = "extreme",
       .dims = {{"n", 3000}},
       .fill = Fill::extreme,
       .dtypes = {DType::f32, DType::f16}},
      {.name = "64Mi", .dims = {{"n", 64 << 20}}, .bench = true},
      {.name = "64Mi in place",
       .dims = {{"n", 64 << 20}},
       .in_place = {output},
       .dtypes = {DType::bf16},
       .bench = true},
      {.name = "64Mi+5 misaligned",
       .dims = {{"n", (64 << 20) + 5}},
       .dtypes = {DType::bf16},
       .offset = 1,
       .bench = true},
  };
}
static std::vector<Case> forward_cases() {
  return sizes("x", "y");
}
static std::vector<Case> backward_cases() {
  return sizes("dy", "dx");
}

WARPATH_OP(Forward, .reference = forward_reference, .cases = forward_cases, .cost = cost,
           .tolerance = exact<Forward>);
WARPATH_OP(Backward, .reference = backward_reference, .cases = backward_cases, .cost = cost,
           .tolerance = exact<Backward>);

}  // namespace warpath::relu
