// What xray counted, in few numbers: for `run --counts`, `grade`, `watch` and comparisons.
#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/grading.h"
#include "cli/report.h"
#include "cli/source_digest.h"
#include "cli/xray_run.h"

namespace warpath::cli {

// Of all launches together.
struct KeyCounts {
  double moved = 0, least = 0;  // bytes through L1; that the op must move (0: unknown)
  double sectors_per_request = 0, least_sectors_per_request = 0;  // of global memory
  double wavefronts = 0, conflicts = 0;  // of shared memory, and those above the least
  double barriers = 0;                   // of a thread, over its kernels
};
KeyCounts key_counts(const Xray& x);
nlohmann::ordered_json to_json(const KeyCounts& k);

// Sums under the names of Nsight Compute.
nlohmann::ordered_json totals_json(const Xray& x);

// "The next rung, 03_warp: One warp, one row …"; empty where there is none.
std::string next_rung(const Xray& x);

// The three largest wastes.
void print_sentences(const Xray& x);
// All launches together, under the names of Nsight Compute too.
void print_totals(const Xray& x);
// Two kernels side by side.
void print_comparison(const Xray& a, const Xray& b);

// The counts of shipped rungs as cli/counts.json has them, for those whose source has not changed since.
class KeptCounts {
 public:
  explicit KeptCounts(const harness::Places& places);
  // Null: not there, or of another source.
  nlohmann::json of(const std::string& op, const harness::Contestant& rung);

 private:
  nlohmann::json all_;
  SourceDigests sources_;
};

// The counts of each rung of an op: by the rung's name. Those that `kept` has; the others from a run of one case each. A
// rung that cannot be counted has "error"; one that `seconds` were too short for has "left_out" too.
nlohmann::ordered_json count_rungs(const harness::Places& places, const harness::OpEntry& entry,
                                   KeptCounts* kept, double seconds);
void print_counts(const nlohmann::ordered_json& counts);

// One sentence about a kernel that is right, where a large share of its work is waste; else "".
std::string slow_here(const harness::Places& places, const std::filesystem::path& file,
                      double seconds);
// The structure of a kernel beside that of our solution: a part without points.
GradePart structure_part(const harness::Places& places, const std::filesystem::path& file,
                         const std::filesystem::path& solution, double seconds);

}  // namespace warpath::cli
