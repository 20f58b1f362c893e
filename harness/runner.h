// Checks rungs against their op's reference, each in a process of its own. Times those that pass,
// in turns.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "harness/device/device.h"
#include "harness/plan.h"
#include "harness/timing.h"

namespace warpath::harness {

// Where the time of a run went, in seconds.
struct Spent {
  double cases = 0;    // drawing inputs, computing references
  double device = 0;   // starting processes, copying, launching, resting; waiting for the device
  double judging = 0;  // comparing outputs with references
};

struct Settings {
  std::filesystem::path device_library;
  bool gpu = false;
  int arch = 90;
  std::uint64_t seed = 0;
  double timeout = 60;  // seconds for one rung on one case
  // For all cases of an op: those that would begin later are left out, and have no records. 0: no limit.
  double op_seconds = 0;
  int jobs = 1;          // rungs at the same time; always 1 on a GPU
  bool time = false;     // time the bench cases
  double seconds = 0.3;  // timer budget of one rung and case, all its turns together
  double rest = 0;       // seconds before each turn
  // Seconds a launch may take, estimated from the rung's time in a smaller case; a rung that would
  // take longer is not timed. The first rung of a ladder would take minutes where the last takes
  // ten milliseconds.
  double patience = 0.05;
  // The library for rungs that were built with checks. With it there is one launch per case, and
  // any finding is a failure.
  std::filesystem::path check_library;
  int launches = 0;        // per case; 0: as many as show what happens only sometimes
  Spent* spent = nullptr;  // added to, where it is wanted
};

inline constexpr double default_timeout_cpu = 60;
inline constexpr double default_timeout_gpu = 30;

struct Contestant {
  const Rung* rung = nullptr;
  std::string name;  // as shown
};

// One attempt: a case of the op in one dtype.
struct Attempt {
  std::size_t test = 0;  // index into Op::cases
  DType dtype = DType::f32;
  bool needed = false;  // whatever Settings::op_seconds says
};

enum class Status { passed, failed, skipped };

struct Record {
  std::string op, name, test;
  std::string source;  // a digest of the rung's code, where it is to be kept
  bool peer = false;
  bool bench = false;
  DType dtype = DType::f32;
  Dims dims;
  Status status = Status::failed;
  std::string reason;                                 // of a failure or a skip
  std::string output;                                 // what the rung printed
  nlohmann::json findings = nlohmann::json::array();  // of a checked rung: see sanitizer.h
  double error = 0;                                   // at the element nearest to its bound
  double allowed = 0;
  double ratio = 0;
  double judged = 1;  // share of the elements compared with the reference; the others were finite
  Cost cost;
  std::int64_t scratch = 0;  // bytes that the rung asked for
  std::optional<Timing>
      timing;  // over all turns; only after a pass, and checked again after the last turn
};

struct Watch {
  std::function<void(const std::string& what, std::size_t done, std::size_t total)> progress;
  std::function<void(const Record&)> record;
};

// In the order of attempts, then of contestants; without the attempts that there was no time for.
std::vector<Record> run_op(const Settings& settings, const Op& op,
                           const std::vector<Contestant>& contestants,
                           const std::vector<Attempt>& attempts, const Watch& watch = {});

}  // namespace warpath::harness
