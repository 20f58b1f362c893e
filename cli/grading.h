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
  std::string why;     // of lost points
  bool speed = false;  // on top of the others: not needed to pass
};

struct Grade {
  std::string file, exercise;
  std::vector<std::string> refused;  // reasons; then nothing was run
  std::vector<GradePart> parts;
  int points() const;
  int most() const;
  bool passed() const;  // every point of every part except speed
};

// Grades any number of files for one exercise.
class Grader {
 public:
  // `seconds`: for each of the steps of a file, in which the kernel has its limit on each case. `gpu`: whether kernels run on one, so that they can be timed.
  Grader(const harness::Places& places, const Exercise& exercise, double seconds,
         const CaseLimit& limit, bool gpu)
      : places_(places), exercise_(exercise), seconds_(seconds), limit_(limit), gpu_(gpu) {}
  Grade grade(const std::filesystem::path& file);

 private:
  const CheckCounts& ours();
  Grade grade_kernel(const std::filesystem::path& file);
  Grade grade_twin(const std::filesystem::path& file);
  void add_speed(const std::filesystem::path& file, Grade& grade);

  harness::Places places_;
  Exercise exercise_;
  double seconds_;
  CaseLimit limit_;
  bool gpu_;
  // Our solution on the cases of this machine: whoever takes fewer of them has not solved the exercise.
  std::optional<CheckCounts> ours_;
};

nlohmann::ordered_json to_json(const Grade& grade);

}  // namespace warpath::cli
