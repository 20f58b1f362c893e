#include "cli/gpu_facts.h"

#include <algorithm>

namespace warpath::cli {

std::string with_article(const GpuFacts& gpu) {
  const bool vowel = std::string_view("AEFHILMNORSX").find(gpu.name[0]) != std::string_view::npos;
  return std::string(vowel ? "an " : "a ") + gpu.name;
}

Occupancy occupancy(const GpuFacts& gpu, int threads, long long shared_bytes, int registers) {
  const int warps = (threads + 31) / 32;
  if (warps == 0) return {};
  struct Limit {
    int blocks;
    const char* name;
  };
  std::array limits = {Limit{gpu.threads / (warps * 32), "threads"}, Limit{gpu.blocks, "blocks"},
                       Limit{1 << 20, "shared memory"}, Limit{1 << 20, "registers"}};
  const long long taken = (shared_bytes + gpu.shared_unit - 1) / gpu.shared_unit * gpu.shared_unit +
                          gpu.shared_reserved;
  if (shared_bytes > 0) limits[2].blocks = static_cast<int>(gpu.shared_kib * 1024ll / taken);
  if (registers > 0) {
    // A warp's registers come in pieces of 256, from one of the four parts of the register file.
    constexpr int parts = 4;
    const int of_warp = (registers * 32 + 255) / 256 * 256;
    limits[3].blocks = gpu.registers / parts / of_warp * parts / warps;
  }
  const auto least =
      std::min_element(limits.begin(), limits.end(),
                       [](const Limit& a, const Limit& b) { return a.blocks < b.blocks; });
  return {least->blocks, static_cast<double>(least->blocks) * warps * 32 / gpu.threads,
          least->name};
}

}  // namespace warpath::cli
