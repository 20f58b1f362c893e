#include "harness/fill.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

#include "harness/convert.h"

using namespace warpath;
using namespace warpath::harness;

namespace {

std::vector<double> drawn(Fill kind, DType dtype, std::vector<std::int64_t> shape,
                          std::uint64_t key = 1) {
  std::int64_t n = 1;
  for (const std::int64_t d : shape) n *= d;
  std::vector<double> x(static_cast<std::size_t>(n));
  fill(x.data(), shape, dtype, kind, key);
  return x;
}

TEST(Random, KeysDependOnEveryName) {
  const std::set<std::uint64_t> keys = {make_key(0, "a", "b", "c"), make_key(1, "a", "b", "c"),
                                        make_key(0, "ab", "", "c"), make_key(0, "a", "bc", ""),
                                        make_key(0, "a", "b", "d"), make_key(0, "c", "b", "a")};
  EXPECT_EQ(keys.size(), 6u);
  // Literal values, so that a change of the generator is deliberate: results name only the seed.
  EXPECT_EQ(make_key(0, "softmax", "one", "x"), make_key(0, "softmax", "one", "x"));
}

TEST(Random, NormalHasItsMoments) {
  const int n = 1 << 20;
  double sum = 0, squares = 0, fourth = 0;
  for (int i = 0; i < n; ++i) {
    const double x = random_normal(42, static_cast<std::uint64_t>(i));
    sum += x;
    squares += x * x;
    fourth += x * x * x * x;
  }
  EXPECT_NEAR(sum / n, 0, 5e-3);
  EXPECT_NEAR(squares / n, 1, 1e-2);
  EXPECT_NEAR(fourth / n, 3, 5e-2);
}

TEST(Random, NeighbouringKeysShareNothing) {
  double product = 0;
  const int n = 1 << 16;
  for (int i = 0; i < n; ++i)
    product += random_normal(7, static_cast<std::uint64_t>(i)) *
               random_normal(8, static_cast<std::uint64_t>(i));
  EXPECT_NEAR(product / n, 0, 0.02);
}

TEST(Fill, IsTheSameInAnyShapeOfThreads) {
  // Long enough to be divided among threads, and each element is still the same as when drawn
  // alone.
  const auto x = drawn(Fill::normal, DType::f32, {100000});
  for (const std::size_t i : {0u, 1u, 16383u, 16384u, 99999u}) EXPECT_EQ(x[i], random_normal(1, i));
}

TEST(Fill, LongTensorsRepeatAtAPrime) {
  const auto x = drawn(Fill::normal, DType::f32, {5000, 1000});
  EXPECT_EQ(x[4194300], random_normal(1, 4194300));
  EXPECT_EQ(x[4194301], x[0]);
  EXPECT_EQ(x[4194301 + 77], x[77]);
}

TEST(Fill, WideIsWideAndSumsStayFinite) {
  for (const DType d : {DType::f32, DType::f16, DType::bf16, DType::i32}) {
    const auto x = drawn(Fill::wide, d, {1 << 20});
    double least = 1e300, most = 0, sum = 0;
    for (const double v : x) {
      least = std::min(least, std::abs(v));
      most = std::max(most, std::abs(v));
      sum += v;
    }
    EXPECT_GT(most / least, 1e4) << name(d);
    EXPECT_LT(std::abs(sum) * 16, largest(d)) << name(d);  // 256 times as many
  }
}

TEST(Fill, ExtremeHoldsTheLargestAndTheSmallest) {
  for (const DType d : {DType::f32, DType::f16, DType::bf16}) {
    const auto x = drawn(Fill::extreme, d, {1000});
    const std::set<double> seen(x.begin(), x.end());
    for (const double must : {largest(d), -largest(d), smallest_normal(d), smallest(d), 0.0})
      EXPECT_TRUE(seen.contains(must)) << name(d) << " " << must;
    for (const double v : x) EXPECT_TRUE(std::isfinite(round_to(v, d)));
  }
}

TEST(Fill, SpecialLeavesCleanRows) {
  const std::int64_t rows = 200, columns = 50;
  const auto x = drawn(Fill::special, DType::f32, {rows, columns});
  int clean = 0, nans = 0, plus = 0, minus = 0;
  for (std::int64_t r = 0; r < rows; ++r) {
    bool all_finite = true;
    for (std::int64_t c = 0; c < columns; ++c) {
      const double v = x[static_cast<std::size_t>(r * columns + c)];
      all_finite = all_finite && std::isfinite(v);
      nans += std::isnan(v);
      plus += std::isinf(v) && v > 0;
      minus += std::isinf(v) && v < 0;
    }
    clean += all_finite;
  }
  EXPECT_GT(clean, 60);
  EXPECT_LT(clean, 160);
  EXPECT_GT(nans, 10);
  EXPECT_GT(plus, 10);
  EXPECT_GT(minus, 10);
}

TEST(Fill, SpecialOfOneLongRowHasAllKinds) {
  const auto x = drawn(Fill::special, DType::f16, {5000});
  int nans = 0, infinities = 0, finite = 0;
  for (const double v : x) {
    nans += std::isnan(v);
    infinities += std::isinf(v);
    finite += std::isfinite(v);
  }
  EXPECT_GT(nans, 5);
  EXPECT_GT(infinities, 5);
  EXPECT_GT(finite, 4000);
}

// After rounding: an element equal to its neighbour would hide a transposition.
TEST(Fill, RampDiffersFromItsNeighbours) {
  for (const DType d : {DType::f32, DType::f16, DType::bf16, DType::i32})
    for (const std::int64_t columns : {3, 100, 257, 5000}) {
      const std::int64_t rows = 7;
      const auto x = drawn(Fill::ramp, d, {rows, columns});
      const auto at = [&](std::int64_t r, std::int64_t c) {
        return round_to(x[static_cast<std::size_t>(r * columns + c)], d);
      };
      for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t c = 0; c < columns; ++c) {
          const bool left = c > 0 && at(r, c) == at(r, c - 1);
          const bool above = r > 0 && at(r, c) == at(r - 1, c);
          ASSERT_FALSE(left || above) << name(d) << " " << r << "," << c << " of " << columns;
        }
    }
}

TEST(Fill, PositionsAreNotNegative) {
  std::vector<std::int64_t> x(1000);
  fill_index(x.data(), 1000, 3);
  for (const std::int64_t v : x) {
    EXPECT_GE(v, 0);
    EXPECT_LT(v, std::int64_t{1} << 31);
  }
}

}  // namespace
