// What of the counts of a kernel is waste, the largest first. All of it is in one currency: cycles of a multiprocessor of
// the named GPU during which the unit that does it is busy, or waits.
#pragma once
#include <map>

#include "cli/gpu_facts.h"
#include "cli/xray_counts.h"
#include "cli/xray_registers.h"
#include "cli/xray_timed.h"

namespace warpath::cli {

// One thing that costs more than it must.
struct XrayWaste {
  std::string kind;  // "coalescing", "bank conflicts", …
  std::string file;
  int line = 0;  // 0: unknown
  std::string kernel;
  double weight = 0;     // cycles
  double bytes = 0;      // moved or passed through in vain
  std::string sentence;  // with what to do about it
  std::string lesson;    // a folder or a page of ours that shows the cure
  double share = 0;      // of all that the kernels do, by the same weights

  std::string page() const { return lesson.ends_with(".md") ? lesson : lesson + "/README.md"; }
};

// What a run is compared with.
struct XrayNeeds {
  double least_bytes = 0;     // that the op must move; 0: unknown
  double flops = 0;           // that it must compute
  bool tensor_cores = false;  // they take its type: products of 16 bits
  bool tf32 = false;          // they take it where the caller allows the loss: f32
  XrayTimed timed;            // how the kernels are launched where it counts
  const GpuFacts* gpu = &gpu_facts.front();
  std::map<std::string, PtxasFacts> ptxas = {};  // by kernel; empty: unknown
};

// The rate that limits arithmetic: of the tensor cores where they make the products, else of FMAs in fp32.
struct XrayRoof {
  bool tensor_cores = false;
  double tflops = 0;
  double ridge = 0;  // flops per byte; with fewer, memory is the limit

  const char* name() const { return tensor_cores ? "tensor cores" : "fp32"; }
  const char* bound_by(double flops_per_byte) const {
    return flops_per_byte < ridge ? "memory" : "arithmetic";
  }
};
XrayRoof roof_of(const std::vector<XrayLaunch>& launches, const XrayNeeds& needs);

// What each costs, in cycles of a multiprocessor.
struct Prices {
  explicit Prices(const GpuFacts& gpu);

  double cycles_per_second;   // of one multiprocessor
  double new_sector;          // from memory
  double known_sector = 0.5;  // from a cache
  double wavefront = 1;       // of shared memory
  double instruction = 0.25;  // four issue in a cycle
  double request = 1;         // of global memory
  // What a request of less than 16 bytes per lane adds: fewer bytes are under way. On an H200 maps of one element of 4 bytes
  // per thread pay two to four times that beside 16 bytes; loops with several loads under way pay less.
  double narrow_request = 1.5;
  double block_of_code = 1;  // a basic block of a warp
  double barrier = 0.5;      // of a warp
  // Of lanes of an atomic on one address. On an H200 reduce/01 takes 80 to 90 cycles per lane, histogram/01 40 to 60; histogram/02,
  // which does the same in shared memory, 0.4.
  double meeting = 60, shared_meeting = 0.5;
  double launch_seconds = 2e-6;  // from the last block of a kernel to the first of the next
};

// What one lane that meets others costs.
double meeting_price(const XrayAccess& a, const Prices& price);

// All that a launch does.
double work_of(const XrayLaunch& l, const Prices& price);

// "mine.cu:14"; where the line is unknown, the kernel's name.
std::string where(const std::string& file, int line, const std::string& kernel);
std::string where(const XrayAccess& a, const XrayLaunch& l);

// What costs time elsewhere than in an access: see xray_limits.cpp.
void find_arithmetic(const XrayLaunch& l, double flops, bool tensor_cores, const Prices& price,
                     std::vector<XrayWaste>& into);
void find_launches(const std::vector<XrayLaunch>& launches, const XrayNeeds& needs,
                   const Prices& price, std::vector<XrayWaste>& into);
void find_idle_multiprocessors(const std::vector<XrayLaunch>& launches, const XrayNeeds& needs,
                               const Prices& price, std::vector<XrayWaste>& into);
void find_spills(const XrayLaunch& l, const PtxasFacts& facts, const Prices& price,
                 std::vector<XrayWaste>& into);

// By kind, the one that costs most in all first; of a kind, the largest first.
void sort_waste(std::vector<XrayWaste>& all);
// All of it, sorted; `share` is set.
std::vector<XrayWaste> find_all_waste(const std::vector<XrayLaunch>& launches,
                                      const XrayNeeds& needs);
// Those that are worth a sentence: `least_share` of all that the kernels do, or more. Where none is, the largest.
constexpr double least_share = 0.01, least_largest = 0.001;
std::vector<XrayWaste> worth_saying(std::vector<XrayWaste> all);

// What the counts leave open: a sentence where all waste together is less than `little_waste` of what the kernels do, else "".
constexpr double little_waste = 0.1;
std::string what_is_left(const std::vector<XrayWaste>& all);

}  // namespace warpath::cli
