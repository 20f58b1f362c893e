// The grid of kernels in which a block stays inside one sample.
#pragma once
#include "core/host/launch.h"
#include "core/host/tensor.h"

namespace warpath::ddpm_step {

inline constexpr int block_threads = 256;
inline constexpr std::int64_t max_grid_y = 65535;

// Blocks along a sample, samples along y; more samples than that are a loop of the kernel.
template <class Dim3>
Dim3 sample_grid(const Tensor& x, std::int64_t per_block) {
  return Dim3(grid_x(x.shape[1], per_block),
              static_cast<unsigned>(std::min(x.shape[0], max_grid_y)));
}

}  // namespace warpath::ddpm_step
