// The kernels that a rung launches for a case as it is timed: recorded, not run.
#pragma once
#include <string>
#include <vector>

#include "core/host/registry.h"
#include "harness/library.h"

namespace warpath::cli {

struct XrayTimedLaunch {
  double blocks = 0;
  int threads = 0;  // per block
  std::int64_t shared = 0;
};

struct XrayTimed {
  std::string test;  // "case 'square' in f32"; empty: unknown
  double flops = 0, bytes = 0;
  std::vector<XrayTimedLaunch> launches;  // in order
  bool grown = false;                     // the one that was counted, before it was made small

  bool known() const { return !launches.empty(); }
};

// `rung` is of a library that this process has opened.
XrayTimed record_timed(const harness::Places& places, const Op& op, const Rung& rung,
                       const Case& test, DType dtype);

}  // namespace warpath::cli
