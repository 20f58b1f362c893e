// Products in float64: any sizes around the blocks, any strides, added to what is there.
#include "core/host/product.h"

#include <gtest/gtest.h>

#include <vector>

#include "harness/fill.h"

using namespace warpath;

namespace {

std::vector<double> numbers(std::int64_t n, std::uint64_t key) {
  std::vector<double> all;
  for (std::int64_t i = 0; i < n; ++i)
    all.push_back(harness::random_normal(key, static_cast<std::uint64_t>(i)));
  return all;
}

struct Sizes {
  std::int64_t m, n, k;
};
const Sizes sizes[] = {{1, 1, 1},     {3, 5, 0},      {8, 16, 4},    {9, 17, 5},
                       {63, 511, 31}, {65, 513, 257}, {130, 20, 300}};

TEST(Product, Rows) {
  for (const auto& [m, n, k] : sizes) {
    const std::vector<double> a = numbers(m * k, 1), b = numbers(k * n, 2);
    std::vector<double> d(static_cast<std::size_t>(m * n), 7.0);
    product(a.data(), b.data(), d.data(), m, n, k);
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (std::int64_t l = 0; l < k; ++l) sum += a.data()[i * k + l] * b.data()[l * n + j];
        ASSERT_NEAR(d.data()[i * n + j], sum, 1e-11) << m << " " << n << " " << k;
      }
  }
}

// a and b transposed, d with a gap behind each row that must stay as it is.
TEST(Product, AnyStridesAddedToWhatIsThere) {
  for (const auto& [m, n, k] : sizes) {
    const std::vector<double> a = numbers(m * k, 1), b = numbers(k * n, 2);
    const std::int64_t pitch = n + 3;
    std::vector<double> d(static_cast<std::size_t>(m * pitch), 7.0);
    add_product({a.data(), 1, m}, {b.data(), 1, k}, d.data(), pitch, m, n, k);
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t j = 0; j < pitch; ++j) {
        double sum = 7;
        if (j < n)
          for (std::int64_t l = 0; l < k; ++l) sum += a.data()[l * m + i] * b.data()[j * k + l];
        ASSERT_NEAR(d.data()[i * pitch + j], sum, 1e-11) << m << " " << n << " " << k;
      }
  }
}

}  // namespace
