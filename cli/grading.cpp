#include "cli/grading.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "cli/forbidden.h"
#include "cli/options.h"
#include "cli/source_text.h"
#include "cli/speed_points.h"
#include "cli/twin_process.h"
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
            fmt::format("{} of {} cases failed; {}", counts.failed, all,
                        CaseLimit::explained(counts.first_trouble, "--case-timeout"))};
  }
  if (counts.passed == 0) return {what, 0, most, "no case was run"};
  if (counts.passed < least_cases)
    return {what, 0, most,
            fmt::format("takes {} cases, our solution {}: .supports must not turn them away",
                        counts.passed, least_cases)};
  return {what, most, most, fmt::format("{} cases", counts.passed)};
}

GradePart part(const std::string& what, int most, const TwinPart& asked) {
  if (asked.failed > 0 || !asked.trouble.empty())
    return {what, 0, most,
            asked.failed > 0 ? fmt::format("{} of {} cases failed; {}", asked.failed,
                                           asked.passed + asked.failed, asked.trouble)
                             : asked.trouble};
  if (asked.passed == 0) return {what, 0, most, "not run"};
  return {what, most, most, fmt::format("{} cases", asked.passed)};
}

// A seed that nobody has seen before: results that are written into the source do not help.
std::string fresh_seed() {
  std::random_device draw;
  return std::to_string(draw() % 1'000'000'000 + 2);
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
  return refused.empty() && !parts.empty() &&
         std::all_of(parts.begin(), parts.end(),
                     [](const GradePart& p) { return p.speed || p.points == p.most; });
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
  return exercise_.is_twin() ? grade_twin(file) : grade_kernel(file);
}

Grade Grader::grade_kernel(const fs::path& file) {
  Grade grade{file.string(), exercise_.name(), {}, {}};
  grade.refused = find_forbidden(read_text(file), read_text(exercise_.solution()));
  if (!grade.refused.empty()) return grade;
  const std::string path = file.string();
  const CheckAnswer right = run_check(places_, seconds_, limit_.on({path}));
  if (right.there() && count_cases(right.json).op != ours().op) {
    grade.refused = {fmt::format("it is a kernel of {}, and the exercise is one of {}",
                                 count_cases(right.json).op, ours().op)};
    return grade;
  }
  grade.parts.push_back(part("right on every case", 50, right, right.there() ? ours().passed : 0));
  const std::string seed = fresh_seed();
  const CheckAnswer not_run{nullptr, "not run"};
  const auto again = [&](const std::vector<std::string>& words) {
    return right.there() ? run_check(places_, seconds_, limit_.on(words)) : not_run;
  };
  grade.parts.push_back(part("right on fresh numbers (seed " + seed + ")", 20,
                             again({path, "--seed", seed, "--brief"}), 0));
  grade.parts.push_back(
      part("clean under the checks", 30, again({path, "--sanitize", "--brief"}), 0));
  const bool is_right = grade.parts[0].points > 0 && grade.parts[1].points > 0;
  if (gpu_ && is_right) add_speed(file, grade);  // no time without a pass
  if (grade.passed())
    grade.parts.push_back(structure_part(places_, file, exercise_.solution(), seconds_));
  return grade;
}

void Grader::add_speed(const fs::path& file, Grade& grade) {
  const CheckAnswer timed =
      run_timed(places_, seconds_, {ours().op, file.string(), "--seconds", "0.1"});
  const Speed speed = timed.there() ? speed_of(timed.json, file.filename().string()) : Speed{};
  const std::string trouble = !timed.there()     ? first_error(timed.trouble)
                              : speed.cases == 0 ? "not timed: no timed case passed"
                                                 : "";
  const std::string cases = fmt::format("{} of {} timed cases", speed.cases, speed.all_cases);
  GradePart share{"share of the roofline", speed.roofline_points(), speed_points,
                  fmt::format("{:.0f}% on average, {}", 100 * speed.of_roofline, cases), true};
  if (trouble.empty() && !speed.has_roofline) share.why = "no roofline was measured";
  GradePart rank{"place on the ladder", speed.rank_points(), speed_points,
                 speed.best_rank == speed.worst_rank
                     ? fmt::format("{} of {}, {}", speed.best_rank, speed.rungs + 1, cases)
                     : fmt::format("{} to {} of {}, {}", speed.best_rank, speed.worst_rank,
                                   speed.rungs + 1, cases),
                 true};
  if (!trouble.empty()) share.why = rank.why = trouble;
  grade.parts.push_back(share);
  grade.parts.push_back(rank);
}

Grade Grader::grade_twin(const fs::path& file) {
  Grade grade{file.string(), exercise_.name(), {}, {}};
  const std::string seed = fresh_seed();
  std::vector<std::string> words = {"--seed", seed};
  const CheckAnswer answer = run_twin(places_, exercise_, file, seconds_, words);
  const std::string fresh = "right on fresh numbers (seed " + seed + ")";
  if (!answer.there()) {
    grade.parts = {{"right on every case", 0, 70, answer.trouble}, {fresh, 0, 30, "not run"}};
    return grade;
  }
  grade.refused = twin_refused(answer.json);
  if (!grade.refused.empty()) return grade;
  // WebGPU itself keeps every access inside its buffer, so there is nothing to watch.
  const TwinPart clean = twin_part(answer.json, "clean");
  grade.parts.push_back(
      part("right on every case", clean.there ? 50 : 70, twin_part(answer.json, "right")));
  grade.parts.push_back(part(fresh, clean.there ? 20 : 30, twin_part(answer.json, "fresh")));
  if (clean.there)
    grade.parts.push_back(part("stays in its tensors, leaves its inputs alone", 30, clean));
  return grade;
}

ordered_json to_json(const Grade& grade) {
  ordered_json parts = ordered_json::array();
  for (const GradePart& p : grade.parts)
    parts.push_back({{"what", p.what},
                     {"points", p.points},
                     {"of", p.most},
                     {"note", p.why},
                     {"needed", !p.speed}});
  return {{"file", grade.file},
          {"exercise", grade.exercise},
          {"passed", grade.passed()},
          {"points", grade.points()},
          {"of", grade.most()},
          {"refused", grade.refused},
          {"parts", parts}};
}

}  // namespace warpath::cli
