#include "harness/fill.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/host/parallel.h"
#include "harness/convert.h"

namespace warpath::harness {
namespace {

constexpr std::int64_t grain = 1 << 14;
constexpr double infinity = std::numeric_limits<double>::infinity();

// One element and its position: (row, column), where the last axis is the columns.
struct Place {
  std::uint64_t key;
  std::uint64_t index;
  std::int64_t row, column, columns;
  DType dtype;
};

double whole(double x) {
  return std::nearbyint(x);
}

double normal(const Place& p) {
  const double x = random_normal(p.key, p.index);
  switch (p.dtype) {
    case DType::i64:
    case DType::i32:
    case DType::i16:
      return whole(100 * x);
    case DType::i8:
      return whole(30 * x);
    case DType::u64:
    case DType::u32:
    case DType::u16:
    case DType::u8:
      return static_cast<double>(random_bits(p.key, p.index) % 256);
    case DType::boolean:
      return static_cast<double>(random_bits(p.key, p.index) & 1);
    default:
      return x;
  }
}

// Magnitudes over many powers of two. The largest is small enough for a sum of 2^28 of them with
// random signs to stay finite.
double wide(const Place& p) {
  struct Range {
    double low, high;
  };
  const Range r = [&]() -> Range {
    switch (p.dtype) {
      case DType::f16:
        return {-12, 3};
      case DType::i64:
      case DType::u64:
        return {0, 30};
      case DType::i32:
      case DType::u32:
        return {0, 16};
      case DType::i16:
      case DType::u16:
        return {0, 14};
      case DType::i8:
        return {0, 6.99};
      case DType::u8:
        return {0, 7.99};
      case DType::boolean:
        return {-1, 1};
      default:
        return {-30, 30};
    }
  }();
  const double exponent = r.low + (r.high - r.low) * random_unit(p.key, 2 * p.index);
  const bool negative = random_bits(p.key, 2 * p.index + 1) & 1;
  const double magnitude = std::exp2(exponent);
  if (is_float(p.dtype)) return negative ? -magnitude : magnitude;
  return negative && is_signed(p.dtype) ? -whole(magnitude) : whole(magnitude);
}

double extreme(const Place& p) {
  const double most = largest(p.dtype);
  switch (random_bits(p.key ^ 0x5851F42D4C957F2Du, p.index) % 16) {
    case 0:
      return most;
    case 1:
      return !is_float(p.dtype) && is_signed(p.dtype) ? -most - 1 : -most;
    case 2:
      return smallest_normal(p.dtype);
    case 3:
      return -smallest_normal(p.dtype);
    case 4:
      return smallest(p.dtype);
    case 5:
    case 6:
      return 0;
    case 7:
      return -0.0;
    default:
      return normal(p);
  }
}

double low(const Place& p) {
  return is_float(p.dtype) ? normal(p) - 200 : normal(p);
}

double ties(const Place& p) {
  constexpr double few[] = {-2, 0, 1, 3};
  const double x = few[random_bits(p.key, p.index) % 4];
  return is_signed(p.dtype) ? x : std::abs(x);
}

// Half of the rows stay clean, so that an op which spreads a NaN over its row still shows ordinary
// numbers. The others hold about two special values each, all of one kind or of all kinds.
double special(const Place& p) {
  if (!is_float(p.dtype)) return normal(p);
  constexpr std::int64_t stretch = 64;  // stands for a row when there is only one
  const bool alone = p.columns == 0 || p.row < 0;
  const std::int64_t row = alone ? p.column / stretch : p.row;
  const double columns = static_cast<double>(alone ? stretch : p.columns);
  const std::uint64_t kind =
      random_bits(p.key ^ 0xD1B54A32D192ED03u, static_cast<std::uint64_t>(row)) % 8;
  if (kind >= 4) return normal(p);
  if (random_unit(p.key ^ 0x8CB92BA72F3D8DD7u, p.index) >= 2 / columns) return normal(p);
  const std::uint64_t what = kind == 3 ? random_bits(p.key ^ 0xABCDu, p.index) % 3 : kind;
  return what == 0 ? std::nan("") : what == 1 ? infinity : -infinity;
}

// From -8 to 8 along the last axis in steps that the dtype can represent. Where the slope is finer
// than that, a pattern of period five keeps every element different from its neighbours in both
// directions.
double ramp(const Place& p) {
  const std::int64_t row = std::max<std::int64_t>(p.row, 0);
  if (!is_float(p.dtype)) {
    const std::int64_t limit = p.dtype == DType::boolean ? 2
                               : p.dtype == DType::i8    ? 127
                               : p.dtype == DType::u8    ? 251
                               : size_of(p.dtype) == 2   ? 32'749
                                                         : 1 << 20;
    return static_cast<double>((p.column + 3 * row) % limit);
  }
  const double quantum = std::max(ulp(8, p.dtype), 0x1p-12);
  const double slope = 16.0 / static_cast<double>(std::max<std::int64_t>(p.columns, 1));
  const double base = -8 + std::floor(slope * static_cast<double>(p.column) / quantum) * quantum;
  const std::int64_t step = slope >= quantum ? row % 5 : (p.column + 2 * row) % 5;
  return base + quantum * static_cast<double>(step);
}

double uniform(const Place& p) {
  if (is_float(p.dtype)) return wide(p);
  if (p.dtype == DType::boolean) return normal(p);
  const std::uint64_t bits = random_bits(p.key, p.index);
  const auto shift = static_cast<int>(64 - 8 * size_of(p.dtype));
  if (is_signed(p.dtype)) return static_cast<double>(static_cast<std::int64_t>(bits) >> shift);
  return static_cast<double>(bits >> shift);
}

double draw(Fill kind, const Place& p) {
  switch (kind) {
    case Fill::normal:
      return normal(p);
    case Fill::wide:
      return wide(p);
    case Fill::low:
      return low(p);
    case Fill::extreme:
      return extreme(p);
    case Fill::ties:
      return ties(p);
    case Fill::special:
      return special(p);
    case Fill::ramp:
      return ramp(p);
    case Fill::uniform:
      return uniform(p);
  }
  return 0;
}

}  // namespace

std::uint64_t make_key(std::uint64_t seed, std::string_view op, std::string_view case_name,
                       std::string_view arg) {
  std::uint64_t hash = 0xCBF29CE484222325u ^ random_bits(seed, 0);
  for (const std::string_view part : {op, case_name, arg}) {
    for (const char c : part) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
    hash = (hash ^ 0xFF) * 0x100000001B3u;  // "ab","c" is not "a","bc"
  }
  return random_bits(hash, 0);
}

// Box-Muller, one half of the pair: it needs no state, and two cheap hashes cost less than one
// logarithm.
double random_normal(std::uint64_t key, std::uint64_t i) {
  const double u = 1 - random_unit(key, 2 * i);  // (0, 1]
  const double v = random_unit(key, 2 * i + 1);
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
}

void fill(double* to, const std::vector<std::int64_t>& shape, DType dtype, Fill kind,
          std::uint64_t key) {
  std::int64_t n = 1;
  for (const std::int64_t d : shape) n *= d;
  const std::int64_t columns = shape.empty() ? 1 : shape.back();
  const bool one_row = n == columns;
  // Beyond that many, ordinary numbers repeat: a logarithm and a cosine for each of 2^28 would take
  // longer than everything else. The period is a prime, so that no tile, row or block gets the same
  // numbers at the same place.
  constexpr std::int64_t period = 4194301;
  const std::int64_t drawn = kind == Fill::normal ? std::min(n, period) : n;
  parallel_for(drawn, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      to[i] = draw(kind, {key, static_cast<std::uint64_t>(i), one_row ? -1 : i / columns,
                          one_row ? i : i % columns, columns, dtype});
  });
  parallel_for(n - drawn, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = drawn + begin; i < drawn + end; ++i) to[i] = to[i % period];
  });
}

void fill_index(std::int64_t* to, std::int64_t n, std::uint64_t key) {
  parallel_for(n, grain, [&](std::int64_t i) {
    to[i] = static_cast<std::int64_t>(random_bits(key, static_cast<std::uint64_t>(i)) >> 33);
  });
}

}  // namespace warpath::harness
