// A learner's Triton or WGSL twin, judged by the Python package in a process of its own, with limits on time, memory and
// output: python/warpath/_exercise.py.
#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/check_process.h"
#include "cli/exercise.h"

namespace warpath::cli {

// `words`: more flags of `python -m warpath exercise`. Refuses where the Python parts are missing, in one line that says
// what to run.
CheckAnswer run_twin(const harness::Places& places, const Exercise& exercise,
                     const std::filesystem::path& file, double seconds,
                     const std::vector<std::string>& words);

// One part of an answer: "right", "fresh" or "clean".
struct TwinPart {
  bool there = false;  // false: it cannot be asked here
  int passed = 0, failed = 0;
  std::string trouble;  // the first
};
TwinPart twin_part(const nlohmann::ordered_json& answer, const char* name);

// Why the file is no solution; empty: nothing was found.
std::vector<std::string> twin_refused(const nlohmann::ordered_json& answer);

}  // namespace warpath::cli
