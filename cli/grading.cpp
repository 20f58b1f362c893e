#include "cli/grading.h"

#include <fmt/format.h>

#include <random>

#include "cli/forbidden.h"
#include "cli/options.h"
#include "cli/source_text.h"
#include "cli/xray_summary.h"

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace warpath::cli {
namespace {

GradePart part(const std::string& what, int most, const CheckAnswer& answer, int least_cases) {
  if (!answer.there()) return {what, 0, most, first_error(answer.trouble)};
  const CheckCounts counts = count_cases(answer.json);
  if (counts.failed > 0 || !counts.first_trouble.empty()) {
    const int all = counts.passed + counts.failed;
    return {what, 0, most,
            fmt::format("{} of {} cases failed; {}", counts.failed, all, counts.first_trouble)};
  }
  if (counts.passed == 0) return {what, 0, most, "no case was run"};
  if (counts.passed < least_cases)
    return {what, 0, most,
            fmt::format("takes {} cases, our solution {}: .supports must not turn them away",
                        counts.passed, least_cases)};
  return {what, most, most, fmt::format("{} cases", counts.passed)};
}

}  // namespace

int Grade::points() const {
  int sum = 0;
  for (const GradePart& p : parts) sum += p.points;
  return sum;
}
int Grade::most() const {
  int sum = 0;
  for (const GradePart& p : parts) sum += p.most;
  return sum;
}
bool Grade::passed() const {
  return refused.empty() && !parts.empty() && points() == most();
}

const CheckCounts& Grader::ours() {
  if (!ours_) {
    const CheckAnswer solution = run_check(places_, seconds_, {exercise_.solution().string()});
    if (!solution.there())
      throw Refusal(fmt::format("our own solution of {} cannot be run here: {}", exercise_.name(),
                                first_error(solution.trouble)));
    ours_ = count_cases(solution.json);
  }
  return *ours_;
}

Grade Grader::grade(const fs::path& file) {
  Grade grade{file.string(), exercise_.name(), {}, {}};
  grade.refused = find_forbidden(read_text(file), read_text(exercise_.solution()));
  if (!grade.refused.empty()) return grade;
  const std::string path = file.string();
  const CheckAnswer right = run_check(places_, seconds_, {path});
  if (right.there() && count_cases(right.json).op != ours().op) {
    grade.refused = {fmt::format("it is a kernel of {}, and the exercise is one of {}",
                                 count_cases(right.json).op, ours().op)};
    return grade;
  }
  grade.parts.push_back(part("right on every case", 50, right, right.there() ? ours().passed : 0));
  // Numbers that nobody has seen before: results that are written into the source do not help.
  std::random_device draw;
  const std::string seed = std::to_string(draw() % 1'000'000'000 + 1);
  const CheckAnswer not_run{nullptr, "not run"};
  const auto again = [&](const std::vector<std::string>& words) {
    return right.there() ? run_check(places_, seconds_, words) : not_run;
  };
  grade.parts.push_back(part("right on fresh numbers (seed " + seed + ")", 20,
                             again({path, "--seed", seed, "--brief"}), 0));
  grade.parts.push_back(
      part("clean under the checks", 30, again({path, "--sanitize", "--brief"}), 0));
  if (grade.passed())
    grade.parts.push_back(structure_part(places_, file, exercise_.solution(), seconds_));
  return grade;
}

ordered_json to_json(const Grade& grade) {
  ordered_json parts = ordered_json::array();
  for (const GradePart& p : grade.parts)
    parts.push_back({{"what", p.what}, {"points", p.points}, {"of", p.most}, {"note", p.why}});
  return {{"file", grade.file},
          {"exercise", grade.exercise},
          {"passed", grade.passed()},
          {"points", grade.points()},
          {"of", grade.most()},
          {"refused", grade.refused},
          {"parts", parts}};
}

}  // namespace warpath::cli
