// Attempts to fool the comparison.
#include "harness/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "harness/convert.h"
#include "harness/fill.h"

using namespace warpath;
using namespace warpath::harness;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const double nan_value = std::nan("");

struct Judged {
  DType dtype = DType::f32;
  std::vector<double> reference, scale;
  Tolerance tolerance;

  Verdict operator()(const std::vector<double>& got, std::vector<std::int64_t> shape = {}) const {
    if (shape.empty()) shape = {static_cast<std::int64_t>(reference.size())};
    std::vector<char> bytes(got.size() * size_of(dtype));
    encode(got.data(), dtype, bytes.data(), static_cast<std::int64_t>(got.size()));
    return compare(
        {"y", dtype, shape, reference.data(), scale.empty() ? nullptr : scale.data(), tolerance},
        bytes.data());
  }
};

std::vector<double> numbers(std::size_t n) {
  std::vector<double> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = round_to(random_normal(5, i), DType::f32);
  return x;
}

TEST(Compare, TheReferenceItselfPasses) {
  const Judged j{DType::f32, numbers(100000), {}, {}};
  const Verdict v = j(j.reference);
  EXPECT_TRUE(v.passed) << v.reason;
  EXPECT_EQ(v.error, 0);
}

TEST(Compare, NaNEverywhereFails) {
  const Judged j{DType::f32, numbers(1000), {}, {1e9, 1e9}};
  const Verdict v = j(std::vector<double>(1000, nan_value));
  EXPECT_FALSE(v.passed);
  EXPECT_EQ(v.bad, 1000);
  EXPECT_NE(v.reason.find("y[0] is nan"), std::string::npos) << v.reason;
}

TEST(Compare, OneNaNAmongManyFails) {
  const Judged j{DType::f16, numbers(100000), {}, {1e6, 0}};
  auto got = j.reference;
  got[77777] = nan_value;
  const Verdict v = j(got);
  EXPECT_FALSE(v.passed);
  EXPECT_EQ(v.bad, 1);
  EXPECT_EQ(v.index, 77777);
}

TEST(Compare, NaNWhereExpectedPassesAndANumberThereFails) {
  const Judged j{DType::f32, {1, nan_value, 3}, {}, {}};
  EXPECT_TRUE(j({1, nan_value, 3}).passed);
  EXPECT_FALSE(j({1, 0, 3}).passed);
  EXPECT_FALSE(j({1, infinity, 3}).passed);
}

TEST(Compare, InfinityForAFiniteNumberFails) {
  const Judged j{DType::f32, {1, 2, 3}, {}, {1e30, 1e30}};
  EXPECT_FALSE(j({1, infinity, 3}).passed);
  EXPECT_FALSE(j({1, -infinity, 3}).passed);
}

TEST(Compare, InfinityOfTheWrongSignOrMissingFails) {
  const Judged j{DType::f32, {infinity, -infinity}, {}, {}};
  EXPECT_TRUE(j({infinity, -infinity}).passed);
  EXPECT_FALSE(j({-infinity, -infinity}).passed);
  EXPECT_FALSE(j({3e38, -infinity}).passed);
}

TEST(Compare, BothSidesOfTheOverflowBorderAreRight) {
  const Judged just_over{
      DType::f16, {65521}, {}, {1, 0}};  // rounds to infinity; the largest is 17 away
  EXPECT_TRUE(just_over({infinity}).passed);
  EXPECT_TRUE(just_over({65504}).passed);
  EXPECT_FALSE(just_over({-infinity}).passed);
  EXPECT_FALSE(just_over({60000}).passed);
  const Judged just_under{DType::f16, {65510}, {}, {1, 0}};
  EXPECT_TRUE(just_under({65504}).passed);
  EXPECT_TRUE(just_under({infinity}).passed);
  const Judged far_under{DType::f16, {60000}, {}, {1, 0}};
  EXPECT_FALSE(far_under({infinity}).passed);
  const Judged far_over{DType::f16, {1e6}, {}, {1, 0}};
  EXPECT_TRUE(far_over({infinity}).passed);
  EXPECT_FALSE(far_over({65504}).passed);
}

TEST(Compare, AllZeroFails) {
  const Judged j{DType::bf16, numbers(1000), {}, {1, 4}};
  const Verdict v = j(std::vector<double>(1000, 0));
  EXPECT_FALSE(v.passed);
  EXPECT_GT(v.bad, 990);
}

TEST(Compare, ShiftedByOneFails) {
  const Judged j{DType::f32, numbers(1000), {}, {1, 4}};
  auto got = j.reference;
  std::rotate(got.begin(), got.begin() + 1, got.end());
  EXPECT_GT(j(got).bad, 990);
}

TEST(Compare, ALostTailFails) {
  const Judged j{DType::f32, numbers(1000), {}, {1, 4}};
  auto got = j.reference;
  for (std::size_t i = 990; i < 1000; ++i) got[i] = 0;
  EXPECT_EQ(j(got).bad, 10);
}

TEST(Compare, SignOfZeroDoesNotMatterSignOfNumbersDoes) {
  const Judged exact{DType::f32, {0.0, -0.0, 1}, {}, {0, 0}};
  EXPECT_TRUE(exact({-0.0, 0.0, 1}).passed);
  EXPECT_FALSE(exact({0.0, 0.0, -1}).passed);
}

TEST(Compare, TheBoundIsTheBound) {
  const Judged j{DType::f32, {1}, {}, {1, 0}};
  EXPECT_TRUE(j({1 + 0x1p-23}).passed);
  const Verdict v = j({1 + 0x1p-22});
  EXPECT_FALSE(v.passed);
  EXPECT_EQ(v.error, 0x1p-22);
  EXPECT_EQ(v.allowed, 0x1p-23);
  EXPECT_EQ(v.ratio, 2);
}

TEST(Compare, ScaleIsWhatTheErrorIsMeasuredAgainst) {
  // A sum of big numbers that cancel: the error is relative to the big numbers.
  const Judged with{DType::f32, {0.001}, {1000}, {1, 1}};
  EXPECT_TRUE(with({0.001 + 1e-4}).passed);
  const Judged unset{DType::f32, {0.001}, {nan_value}, {1, 1}};
  EXPECT_FALSE(unset({0.001 + 1e-4}).passed);
  const Judged infinite{DType::f32, {0.001}, {infinity}, {1, 1}};
  EXPECT_FALSE(infinite({5}).passed);
}

TEST(Compare, FlushedSubnormalsAreTolerated) {
  const Judged j{DType::f32, {1e-39, -1e-40}, {}, {1, 0}};
  EXPECT_TRUE(j({0, 0}).passed);
  const Judged exact{DType::f32, {1e-39}, {}, {0, 0}};
  EXPECT_FALSE(exact({0}).passed) << "a copy has no reason to flush";
  const Judged half{DType::f16, {3e-7}, {}, {1, 0}};
  EXPECT_FALSE(half({0}).passed) << "f16 subnormals are ordinary f32 numbers";
}

TEST(Compare, IntegersAreExact) {
  const Judged j{DType::i32, {16777217, -5}, {}, {100, 100}};
  EXPECT_TRUE(j({16777217, -5}).passed);
  EXPECT_FALSE(j({16777216, -5}).passed);
}

TEST(Compare, NamesTheWorstElementByItsCoordinates) {
  Judged j{DType::f32, numbers(24), {}, {}};
  auto got = j.reference;
  got[17] += 10;
  got[3] += 1;
  const Verdict v = j(got, {2, 3, 4});
  EXPECT_EQ(v.bad, 2);
  EXPECT_NE(v.reason.find("y[1,1,1] is "), std::string::npos) << v.reason;
  EXPECT_NE(v.reason.find("2 of 24 elements wrong"), std::string::npos) << v.reason;
}

TEST(Compare, NothingToCompareIsNoFailure) {
  const Judged j{DType::f32, {}, {}, {}};
  EXPECT_TRUE(j({}, {0, 5}).passed);
}

TEST(Compare, PositionsAreRightOrWrong) {
  const std::vector<std::int64_t> reference = {1, 2, 3}, got = {1, 2, 4};
  EXPECT_TRUE(compare_index("i", DType::i64, {3}, reference.data(), reference.data()).passed);
  const Verdict v = compare_index("i", DType::i64, {3}, reference.data(), got.data());
  EXPECT_FALSE(v.passed);
  EXPECT_EQ(v.reason, "i[2] is 4, expected 3; 1 of 3 elements wrong");
}

}  // namespace
