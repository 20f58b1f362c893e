// Grades one file: what it may not do, then whether it is right and clean. Every step runs in a process of
// its own with limits on time, memory and output, so one bad submission never stops the others.
#pragma once
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
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

// Grades any number of files for one exercise.
class Grader {
 public:
  // `seconds`: for each of the steps of a file.
  Grader(const harness::Places& places, const Exercise& exercise, double seconds)
      : places_(places), exercise_(exercise), seconds_(seconds) {}
  Grade grade(const std::filesystem::path& file);

 private:
  const CheckCounts& ours();

  harness::Places places_;
  Exercise exercise_;
  double seconds_;
  // Our solution on the cases of this machine: whoever takes fewer of them has not solved the exercise.
  std::optional<CheckCounts> ours_;
};

nlohmann::ordered_json to_json(const Grade& grade);

}  // namespace warpath::cli
