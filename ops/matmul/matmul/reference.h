// The parts of the host side that have files of their own.
#pragma once
#include "core/host/registry.h"
#include "ops/matmul/matmul/matmul.h"

namespace warpath::matmul {

// d = a b in float64, all three in rows, no gaps.
void product(const double* a, const double* b, double* d, std::int64_t m, std::int64_t n,
             std::int64_t k);

std::vector<Case> cases();

}  // namespace warpath::matmul
