// The sizes of GPT-2's 148 parameters, 124 million elements: a case for ops on lists of tensors.
#pragma once
#include <cstdint>
#include <vector>

namespace warpath::optimizer {

inline std::vector<std::int64_t> gpt2_sizes() {
  constexpr std::int64_t width = 768;
  std::vector<std::int64_t> sizes = {50257 * width, 1024 * width};
  for (int layer = 0; layer < 12; ++layer)
    for (const std::int64_t n :
         {width, width, width * 3 * width, 3 * width, width * width, width, width, width,
          width * 4 * width, 4 * width, 4 * width * width, width})
      sizes.push_back(n);
  sizes.push_back(width);
  sizes.push_back(width);
  return sizes;
}

}  // namespace warpath::optimizer
