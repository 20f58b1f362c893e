// What `cc --xray` counted, read from its JSON: accesses, kernels, and what of it is waste.
#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/xray_places.h"

namespace warpath::cli {

struct XrayAccess {
  std::string file;  // where it stands in the file that was asked about, else where it is
  int line = 0;
  std::string inside;  // "vector.cuh:41" when it is in a header's function
  std::string text;    // of the line
  std::string space, kind;
  int bytes = 0;  // per lane
  double requests = 0, lanes = 0, bytes_asked = 0;
  double sectors = 0, least_sectors = 0, first_touches = 0, misaligned = 0;
  double wavefronts = 0, least_wavefronts = 0;
  double on_one_address = 0;
  double addresses = 0;  // of constant and local memory: different ones in a warp, summed
  std::string array;     // and the variable's name
  bool has_stride = false;
  std::int64_t stride = 0;
  nlohmann::json samples;

  bool shared() const { return space == "shared"; }
  bool constant() const { return space == "constant"; }
  bool local() const { return space == "local"; }
  bool loads() const { return kind.ends_with("load"); }
  bool stores() const { return kind.ends_with("store"); }
  bool atomic() const { return kind == "atomic"; }
  bool bulk() const { return kind.starts_with("bulk"); }
  double lanes_per_request() const { return requests > 0 ? lanes / requests : 0; }
  // Sectors, wavefronts or (constant memory) addresses per request, as they are and at least.
  double cost() const {
    return requests > 0 ? (shared() ? wavefronts : constant() ? addresses : sectors) / requests : 0;
  }
  double least() const {
    if (requests <= 0) return 0;
    return constant() ? 1 : (shared() ? least_wavefronts : least_sectors) / requests;
  }
};

struct XrayCode {
  std::string file;
  int line = 0;
  double times = 0, lanes = 0;
  double splits = 0;      // how often a warp's lanes part at a branch here
  double arithmetic = 0;  // instructions of warps for it, about
  double passes = 0;      // how often a warp comes to that branch

  double share_that_splits() const { return passes > 0 ? splits / passes : 0; }
};
constexpr double least_split = 0.05;  // that is worth a mark beside the source

// Counts are those of one launch, the mean where a kernel was launched several times in the same shape.
struct XrayLaunch {
  std::string kernel;
  Place defined, launched;  // where its sources can be read
  int grid[3] = {}, block[3] = {};
  double launches = 1, blocks = 0, blocks_counted = 0;
  std::int64_t static_shared = 0, dynamic_shared = 0;
  double barriers = 0, waits = 0, warp_operations = 0, splits = 0, busiest_warp = 0, all_warps = 0,
         warps = 0;
  std::vector<XrayAccess> accesses;
  std::vector<XrayCode> code;
  struct Barrier {
    std::string file;
    int line;
    double times;
  };
  std::vector<Barrier> barrier_lines;
  nlohmann::json timeline;

  // From the counts of one launch, and of the blocks that were sampled, to all of them.
  double all() const { return launches * (blocks_counted > 0 ? blocks / blocks_counted : 1); }
  int threads() const { return block[0] * block[1] * block[2]; }
  std::int64_t shared_bytes() const { return static_shared + dynamic_shared; }
  double sum(bool (*which)(const XrayAccess&), double XrayAccess::*what) const;
  double bytes_moved() const;   // sectors of global memory, in bytes
  double bytes_needed() const;  // those that the launch touches at all, once
  double active_lanes() const;  // per instruction of a warp
  double unevenness() const;  // how much more the busiest warp of a block does than the average one
};

// `main_file`: lines are told there where an access is reached through it.
std::vector<XrayLaunch> read_xray(const nlohmann::json& counts, const std::string& main_file);

std::string with_digit(double n);   // 12, 3.5
std::string short_count(double n);  // 4096, 131k, 16.8M
std::string short_bytes(double n);

}  // namespace warpath::cli
