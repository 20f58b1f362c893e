#pragma once

// CUB's headers that simt has no replacement of are CCCL's own, which need nvcc. Some of them compile all the same.

#include <string>
#include <vector>

#include "messages/source_map.h"

namespace simt::cc {

struct CubHeader {
  SourceLocation included_at;  // in the program
  std::string name;            // cub/thread/thread_sort.cuh
};

// What the program includes of `cccl`'s folder cub/ and has an error of `messages` in it, or in what it brings: by the
// line markers of `preprocessed`. `include`: simt's headers.
std::vector<CubHeader> failing_cub(const std::string& preprocessed, const std::string& messages,
                                   const std::string& cccl, const std::string& include);

}  // namespace simt::cc
