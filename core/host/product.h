// Products of matrices in float64, for references: blocks that stay in the caches, a block of the result in registers,
// the widest vectors this machine has.
#pragma once
#include <cstdint>

namespace warpath {

// A matrix anywhere in memory: steps in elements from row to row and from column to column.
struct MatrixView {
  const double* at;
  std::int64_t down, right;
};

// d = a b, all three in rows, no gaps; shared out among threads.
void product(const double* a, const double* b, double* d, std::int64_t m, std::int64_t n,
             std::int64_t k);

// d += a b on this thread; d has rows of `pitch` elements.
void add_product(MatrixView a, MatrixView b, double* d, std::int64_t pitch, std::int64_t m,
                 std::int64_t n, std::int64_t k);
// The same with operands rounded to float and summed in float: twice as fast, for inputs that need not be exact.
void add_product_in_float(MatrixView a, MatrixView b, double* d, std::int64_t pitch, std::int64_t m,
                          std::int64_t n, std::int64_t k);

}  // namespace warpath
