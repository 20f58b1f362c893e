#include "ops/order/select/select.h"

#include "core/host/error.h"
#include "core/host/registry.h"

namespace warpath::select {

static void reference(const Args& args, const Args&) {
  const double *x = args.x.as<double>(), *flags = args.flags.as<double>();
  double* const y = args.y.as<double>();
  WARPATH_CHECK(args.test != Test::flags || flags || args.x.size() == 0,
                "select: the test 'flags' needs flags");
  const double threshold = static_cast<float>(args.threshold);
  const auto keeps = [&](std::int64_t i) {
    switch (args.test) {
      case Test::flags:
        return flags[i] != 0;
      case Test::above:
        return x[i] > threshold;
      case Test::nonzero:
        return x[i] != 0;
      case Test::unique:
        return i == 0 || x[i] != x[i - 1];
    }
    return false;
  };
  const std::int64_t n = args.x.size();
  std::int64_t kept = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    if (keeps(i))
      y[kept++] = x[i];
    else if (args.partition)
      y[n - 1 - (i - kept)] = x[i];
  }
  args.count.as<std::int64_t>()[0] = kept;
}

// Half of random flags are set and half of random numbers are above zero; few are zero or equal to their neighbour.
static Cost cost(const Args& args) {
  const auto bytes = static_cast<double>(args.x.bytes());
  const bool half = args.test == Test::flags || args.test == Test::above;
  const double written = half && !args.partition ? bytes / 2 : bytes;
  const double flags = args.test == Test::flags ? static_cast<double>(args.flags.bytes()) : 0;
  return {.flops = 0, .bytes = bytes + flags + written + 8};
}

static Tolerance tolerance(const Args&) {
  return {.out_ulps = 0, .f32_ulps = 0};  // copies
}

static std::vector<Case> cases() {
  std::vector<Case> all;
  const auto add = [&](const char* name, std::int64_t n, const char* test, Case c = {},
                       bool partition = false) {
    c.name = std::string(test) + " " + name;
    c.dims = {{"n", n}};
    c.scalars.insert_or_assign("test", test);
    c.scalars.insert_or_assign("partition", partition);
    if (std::string(test) != "flags") c.without = {"flags"};
    all.push_back(std::move(c));
  };
  add("none", 0, "flags");
  add("one", 1, "unique");
  add("warp-1", 31, "flags");
  add("warp+1", 33, "above");
  add("block+1", 257, "flags");
  add("tile-1", 2047, "above", {.scalars = {{"threshold", 0.5}}});
  add("tile", 4096, "flags");
  add("tile+1", 4097, "flags");
  add("prime", 10007, "above", {.scalars = {{"threshold", -0.25}}});
  add("all kept", 3000, "above", {.scalars = {{"threshold", -1e6}}});
  add("nothing kept", 3000, "above", {.scalars = {{"threshold", 1e6}}});
  add("ties", 5003, "nonzero", {.fill = Fill::ties});
  add("ties", 9001, "unique", {.fill = Fill::ties});
  add("ramp", 700, "unique", {.fill = Fill::ramp});
  add("partition", 4999, "flags", {}, true);
  add("partition above", 12'289, "above", {.scalars = {{"threshold", 1}}}, true);
  add("partition unique", 2100, "unique", {.fill = Fill::ties}, true);
  add("misaligned", 4099, "flags", {.offset = 1});
  add("apart", 5000, "unique", {.fill = Fill::ties, .offset = 1, .offsets = {{"y", 2}}});
  add("partition misaligned", 1031, "above", {.offset = 3}, true);
  add("special", 5000, "nonzero", {.fill = Fill::special});
  add("negative zeros", 3000, "nonzero", {.fill = Fill::extreme});
  add("special", 3000, "above", {.fill = Fill::special}, true);
  // More than 32 tiles of 2048 and of 4096.
  add("groups", 135'009, "above", {.dtypes = {DType::f32}});
  add("256Mi", 256 << 20, "above",
      {.dtypes = {DType::f32, DType::i32, DType::bf16}, .bench = true});
  add("256Mi", 256 << 20, "flags", {.dtypes = {DType::f32}, .bench = true});
  add("256Mi", 256 << 20, "unique", {.fill = Fill::ties, .dtypes = {DType::i32}, .bench = true});
  add("256Mi partition", 256 << 20, "above", {.dtypes = {DType::f32}, .bench = true}, true);
  return all;
}

WARPATH_OP(Args, .reference = reference, .cases = cases, .cost = cost, .tolerance = tolerance);

}  // namespace warpath::select
