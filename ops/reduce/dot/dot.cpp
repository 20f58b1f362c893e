#include "ops/reduce/dot/dot.h"

#include <cmath>

#include "core/host/parallel.h"
#include "core/host/registry.h"

namespace warpath::dot {

// The sum of a stretch of products, and of their squares: rounding errors of a sum grow with the 2-norm of its terms.
struct Partial {
  double value = 0, squares = 0;
};

static void reference(const Args& args, const Args& scale) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  const double *x = args.x.as<double>(), *y = args.y.as<double>();
  // Stretches, so that one long row is shared out among the threads too.
  constexpr std::int64_t stretch = 1 << 16;
  const std::int64_t per_row = std::max<std::int64_t>(1, (cols + stretch - 1) / stretch);
  std::vector<Partial> partials(static_cast<std::size_t>(rows * per_row));
  parallel_for(rows * per_row, 4, [&](std::int64_t k) {
    const std::int64_t row = k / per_row * cols;
    const std::int64_t first = k % per_row * stretch, last = std::min(cols, first + stretch);
    Partial p;
    for (std::int64_t i = row + first; i < row + last; ++i) {
      const double product = x[i] * y[i];
      p.value += product;
      p.squares += product * product;
    }
    partials[static_cast<std::size_t>(k)] = p;
  });
  for (std::int64_t r = 0; r < rows; ++r) {
    Partial all;
    for (std::int64_t k = 0; k < per_row; ++k) {
      const Partial& p = partials[static_cast<std::size_t>(r * per_row + k)];
      all = {all.value + p.value, all.squares + p.squares};
    }
    args.z.as<double>()[r] = all.value;
    scale.z.as<double>()[r] = std::abs(all.value) + std::sqrt(all.squares);
  }
}

static Cost cost(const Args& args) {
  return {.flops = 2.0 * static_cast<double>(args.x.size()),
          .bytes = static_cast<double>(args.x.bytes() + args.y.bytes() + args.z.bytes())};
}

// A tree of float additions errs by a few roundings. 01_partial_sums adds 256 products in a chain, and one rounding of each
// product may come before.
static Tolerance tolerance(const Args&) {
  return {.out_ulps = 1, .f32_ulps = 24};
}

static std::vector<Case> cases() {
  std::vector<Case> all;
  const auto add = [&](const char* name, std::int64_t rows, std::int64_t cols, Case c = {}) {
    c.name = name;
    c.dims = {{"rows", rows}, {"cols", cols}};
    all.push_back(std::move(c));
  };
  add("one", 1, 1);
  add("warp+1", 1, 33);
  add("block-1", 1, 255);
  add("block+1", 1, 257);
  add("prime", 1, 10007);
  add("no rows", 0, 10);
  add("no columns", 5, 0);
  add("short rows", 300, 7);
  add("short aligned rows", 9, 1024);
  add("rows of one", 300, 1);
  add("rows", 37, 1025);
  add("aligned rows", 20, 4096);
  add("long row", 1, 300'001);
  add("long rows", 3, 40'003);
  add("misaligned", 3, 20'003, {.offset = 1});
  add("apart", 2, 9001, {.offsets = {{"x", 1}, {"y", 2}}});
  add("wide", 3, 5000, {.fill = Fill::wide});
  add("special", 100, 301, {.fill = Fill::special});
  const auto laid = [](Layout layout) {
    return std::map<std::string, Layout>{{"x", layout}, {"y", layout}};
  };
  const auto columns = laid(Layout::columns);
  add("columns", 70, 133, {.layouts = columns});
  add("whole vectors of columns", 128, 700, {.layouts = columns});
  add("many columns", 800, 600, {.layouts = columns});
  add("few columns", 5, 600, {.layouts = columns});
  add("columns of y", 40, 97, {.layouts = {{"y", Layout::columns}}});
  add("padded", 9, 1031, {.layouts = laid(Layout::padded)});
  add("padded columns", 64, 200, {.layouts = laid(Layout::padded_columns)});
  add("misaligned columns", 64, 200, {.layouts = laid(Layout::padded_columns), .offset = 1});
  add("columns apart", 48, 90, {.layouts = columns, .offsets = {{"y", 3}}});
  add("spread", 5, 600, {.layouts = {{"x", Layout::spread}}});
  add("spread vectors", 1, 20'001, {.layouts = laid(Layout::spread)});
  // On a device of three multiprocessors a block adds up more than 64 columns per lane.
  add("long columns", 769, 521, {.layouts = columns});
  add("long spread vectors", 1, 400'001, {.layouts = {{"x", Layout::spread}}});
  add("special columns", 96, 301, {.fill = Fill::special, .layouts = columns});
  add("256Mi", 1, 256 << 20, {.bench = true});
  add("65536x4096", 65536, 4096, {.bench = true});
  add("1009x99991", 1009, 99991, {.dtypes = {DType::f32, DType::bf16}, .bench = true});
  add("first axis 4096x65536", 65536, 4096,
      {.dtypes = {DType::f32, DType::bf16}, .layouts = columns, .bench = true});
  return all;
}

WARPATH_OP(Args, .reference = reference, .cases = cases, .cost = cost, .tolerance = tolerance);

}  // namespace warpath::dot
