#include "ops/order/radix_sort/radix_sort.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "core/host/parallel.h"
#include "core/host/registry.h"

namespace warpath::radix_sort {

// The bits of a key that the type holds exactly.
static std::uint64_t bits_of(double x, DType dtype) {
  switch (dtype) {
    case DType::f64:
      return std::bit_cast<std::uint64_t>(x);
    case DType::f32:
      return std::bit_cast<std::uint32_t>(static_cast<float>(x));
    case DType::bf16:
      return std::bit_cast<std::uint32_t>(static_cast<float>(x)) >> 16;
    case DType::f16: {
      const std::uint64_t sign = std::signbit(x) ? 0x8000 : 0;
      const double magnitude = std::abs(x);
      if (std::isinf(x)) return sign | 0x7C00;
      if (magnitude < 0x1p-14) return sign | static_cast<std::uint64_t>(magnitude * 0x1p24);
      const int exponent = std::ilogb(magnitude);
      const double fraction = std::ldexp(magnitude, 10 - exponent) - 1024;
      return sign | static_cast<std::uint64_t>(exponent + 15) << 10 |
             static_cast<std::uint64_t>(fraction);
    }
    // The largest 64-bit integers are no doubles; the next ones are.
    case DType::u64:
      return x >= 0x1p64 ? ~std::uint64_t{0} : static_cast<std::uint64_t>(x);
    default:
      if (x >= 0x1p63) return ~std::uint64_t{0} >> 1;
      return static_cast<std::uint64_t>(static_cast<std::int64_t>(x));
  }
}

// Unsigned integers in the order of the keys.
static std::uint64_t ordered(double x, DType dtype) {
  const int width = static_cast<int>(8 * size_of(dtype));
  const std::uint64_t all = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  const std::uint64_t sign = std::uint64_t{1} << (width - 1);
  if (std::isnan(x)) return all;
  const std::uint64_t bits = bits_of(x == 0 ? 0.0 : x, dtype) & all;
  if (!is_signed(dtype)) return bits;
  if (is_float(dtype) && (bits & sign)) return ~bits & all;
  return bits ^ sign;
}

static void reference(const Args& args, const Args& scale) {
  const DType dtype = scale.keys.dtype;
  const int width = static_cast<int>(8 * size_of(dtype));
  check(args, width);
  const std::int64_t rows = args.keys.shape[0], cols = args.keys.shape[1];
  const int end = args.end_bit == 0 ? width : static_cast<int>(args.end_bit);
  const int begin = static_cast<int>(args.begin_bit), count = end - begin;
  const std::uint64_t mask = count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
  parallel_for(rows, 1, [&](std::int64_t row) {
    const double* const keys = args.keys.as<double>() + row * cols;
    std::vector<std::uint64_t> by(static_cast<std::size_t>(cols));
    for (std::int64_t i = 0; i < cols; ++i) {
      const std::uint64_t key = ordered(keys[i], dtype);
      by[static_cast<std::size_t>(i)] =
          count == 0 ? 0 : ((args.descending ? ~key : key) >> begin & mask);
    }
    std::vector<std::int64_t> order(by.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
      return by[static_cast<std::size_t>(a)] < by[static_cast<std::size_t>(b)];
    });
    for (std::int64_t i = 0; i < cols; ++i) {
      const std::int64_t from = order[static_cast<std::size_t>(i)], to = row * cols + i;
      args.sorted.as<double>()[to] = keys[from];
      if (args.values.data)
        args.sorted_values.as<std::int64_t>()[to] =
            args.values.as<std::int64_t>()[row * cols + from];
    }
  });
}

// Each key and value read once and written once; every pass of a radix sort costs as much again.
static Cost cost(const Args& args) {
  return {.flops = 0,
          .bytes = 2.0 * static_cast<double>(args.keys.bytes()) +
                   (args.values.rank > 0 ? 2.0 * static_cast<double>(args.values.bytes()) : 0)};
}

static Tolerance tolerance(const Args&) {
  return {.out_ulps = 0, .f32_ulps = 0};  // copies
}

static std::vector<Case> cases() {
  std::vector<Case> all;
  const auto add = [&](const char* name, std::int64_t rows, std::int64_t cols, bool pairs,
                       Case c = {}) {
    c.name = std::string(pairs ? "pairs " : "keys ") + name;
    c.dims = {{"rows", rows}, {"length", cols}, {"value_rows", rows}, {"value_length", cols}};
    if (!pairs) c.without = {"values", "sorted_values"};
    all.push_back(std::move(c));
  };
  // Types of one width share their kernels, so most cases take some of the types.
  const std::vector<DType> floats = {DType::f32, DType::f16, DType::bf16, DType::f64};
  const std::vector<DType> narrow = {DType::f32, DType::bf16, DType::u8};
  const std::vector<DType> wide = {DType::i32, DType::i64, DType::u16};
  const std::map<std::string, Value> down = {{"descending", true}};
  add("one", 1, 1, false);
  add("none", 0, 5, true);
  add("no columns", 3, 0, false);
  add("warp+1", 1, 33, true);
  add("block-1", 1, 255, false, {.scalars = down});
  add("rows", 3, 130, true, {.dtypes = narrow});
  add("rows down", 2, 257, true, {.fill = Fill::ties, .scalars = down, .dtypes = wide});
  add("short rows", 5, 7, false, {.dtypes = narrow});
  add("ties", 1, 600, true, {.fill = Fill::ties, .dtypes = narrow});
  add("no bits", 1, 700, true, {.scalars = {{"begin_bit", 3}, {"end_bit", 3}}, .dtypes = narrow});
  add("extreme", 1, 400, true, {.fill = Fill::extreme});
  add("extreme down", 2, 200, true, {.fill = Fill::extreme, .scalars = down});
  add("special", 4, 150, true, {.fill = Fill::special, .dtypes = floats});
  add("special down", 1, 500, true, {.fill = Fill::special, .scalars = down, .dtypes = floats});
  add("low bits", 1, 600, true,
      {.scalars = {{"begin_bit", 0}, {"end_bit", 5}}, .dtypes = {DType::i32, DType::u8}});
  add("middle bits", 1, 600, false,
      {.fill = Fill::wide,
       .scalars = {{"begin_bit", 3}, {"end_bit", 14}},
       .dtypes = {DType::i32, DType::f32, DType::bf16}});
  add("middle bits down", 1, 300, true,
      {.fill = Fill::wide,
       .scalars = {{"begin_bit", 5}, {"end_bit", 41}, {"descending", true}},
       .dtypes = {DType::i64, DType::u64, DType::f64}});
  add("misaligned", 1, 519, true, {.dtypes = {DType::f16, DType::i32}, .offset = 1});
  add("tile-1", 1, 2047, false, {.fill = Fill::uniform, .dtypes = {DType::i32}});
  add("uniform", 1, 300, false,
      {.fill = Fill::uniform,
       .dtypes = {DType::i64, DType::i16, DType::i8, DType::u64, DType::u32, DType::u16}});
  add("tiles", 1, 8193, true, {.dtypes = {DType::bf16}});
  add("tiles", 1, 10'250, false, {.fill = Fill::uniform, .dtypes = {DType::i32}});
  add("tiles of doubles", 1, 4099, true, {.dtypes = {DType::f64}});
  add("more tiles", 1, 17'001, false, {.dtypes = {DType::u8}});
  add("rows of tiles", 2, 9001, true, {.dtypes = {DType::u8}});
  add("64Mi", 1, 64 << 20, false,
      {.fill = Fill::uniform, .dtypes = {DType::i32, DType::f32, DType::i64}, .bench = true});
  add("64Mi", 1, 64 << 20, true,
      {.fill = Fill::uniform, .dtypes = {DType::i32, DType::f32}, .bench = true});
  add("64Mi halves", 1, 64 << 20, false, {.dtypes = {DType::bf16}, .bench = true});
  add("4096x4096", 4096, 4096, true, {.dtypes = {DType::f32}, .bench = true});
  return all;
}

WARPATH_OP(Args, .reference = reference, .cases = cases, .cost = cost, .tolerance = tolerance);

}  // namespace warpath::radix_sort
