#pragma once

// What a launch may ask for: an H200's limits.

#include <simt/launch.h>

#include <string>

namespace simt {

struct Refusal {
  cudaError_t error = cudaSuccess;
  std::string reason;  // which number is wrong, and its limit
};

Refusal check_limits(const Config& config, const Kernel& kernel);

Refusal beyond_bounds(unsigned threads, unsigned bound);

// The kernel was made for clusters of one size and launched with another.
Refusal wrong_cluster(dim3 launched, dim3 made_for);

}  // namespace simt
