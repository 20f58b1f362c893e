// Grades one file: what it may not do, then whether it is right and clean. Every step runs in a process of
// its own with limits on time, memory and output, so one bad submission never stops the others.
#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/check_process.h"
#include "cli/exercise.h"

namespace warpath::cli {

struct GradePart {
  std::string what;
  int points = 0, most = 0;
  std::string why;  // of lost points
};

struct Grade {
  std::string file, exercise;
  std::vector<std::string> refused;  // reasons; then nothing was run
  std::vector<GradePart> parts;
  int points() const;
  int most() const;
  bool passed() const;  // every point of every part
};

// Our solution on the cases of this machine: whoever takes fewer of them has not solved the exercise.
CheckCounts run_solution(const harness::Places& places, const Exercise& exercise, double seconds);

// `ours` is the answer of run_solution; `seconds` are for each of the steps.
Grade grade_file(const harness::Places& places, const Exercise& exercise, const CheckCounts& ours,
                 const std::filesystem::path& file, double seconds);

nlohmann::ordered_json to_json(const Grade& grade);

}  // namespace warpath::cli
