// warpath grade: points for a learner's kernel, or for a class of them.
#include <fmt/format.h>

#include <algorithm>

#include "cli/command.h"
#include "cli/done_days.h"
#include "cli/grading.h"
#include "cli/learner.h"
#include "cli/report.h"
#include "cli/terminal.h"

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace warpath::cli {
namespace {

constexpr const char* grade_examples = R"(
Examples:
  ./warpath grade                                  the exercise you worked on last
  ./warpath grade A1                               of a day
  ./warpath grade softmax/02                       my/softmax/02_shared.cu
  ./warpath grade softmax/02 mine.cu               another file
  ./warpath grade softmax/02 --folder submissions  every .cu file of a class, in one table
  ./warpath grade softmax.py                       my/softmax/softmax.py, in Triton; softmax.wgsl: for WebGPU

Points: 50 right on every case, 20 right on numbers nobody has seen, 30 clean under the checks. On a GPU, 20 more for
the share of the roofline and 20 for the place on the ladder: they are not needed to pass. A file that calls the
vendor's library, keeps results, looks at the clock or for the reference is refused, with the line.
Exit status: 0 all points, 1 not all, 2 the command was wrong or a part is missing.)";

// `handle`: what to type for the exercise.
void print_grade(const Grade& grade, const std::string& handle) {
  fmt::print("{}  {}\n", paint(Tone::strong, grade.exercise), grade.file);
  for (const std::string& reason : grade.refused)
    fmt::print("  {} {}\n", paint(Tone::bad, "refused"), reason);
  for (const GradePart& p : grade.parts)
    if (p.most == 0)
      fmt::print("  {:<13} {}: {}\n", "", p.what, p.why);
    else
      fmt::print("  {} {:>3} of {:<3} {}{}\n",
                 p.speed              ? "  "
                 : p.points == p.most ? paint(Tone::good, "ok")
                                      : paint(Tone::bad, "no"),
                 p.points, p.most, p.what, p.why.empty() ? "" : ": " + p.why);
  const std::string total =
      fmt::format("{} of {} points", grade.points(), std::max(grade.most(), 100));
  fmt::print("{}\n", paint(grade.passed() ? Tone::good : Tone::bad, total));
  if (grade.passed())
    fmt::print(
        "next: {} shows ours; {} the next rungs\n",
        paint(Tone::note, "./warpath solution " + handle),
        paint(Tone::note, "./warpath ops " + grade.exercise.substr(0, grade.exercise.find('/'))));
  else if (grade.refused.empty())
    fmt::print("next: {}\n", paint(Tone::note, "./warpath watch " + handle));
}

void print_class(const std::vector<Grade>& grades) {
  Table table({"file", "points", "first reason"}, "lr");
  for (const Grade& g : grades) {
    std::string reason = g.refused.empty() ? "" : "refused: " + g.refused.front();
    for (const GradePart& p : g.parts)
      if (reason.empty() && p.points < p.most) reason = p.what + ": " + p.why;
    if (reason.size() > 100) reason = reason.substr(0, 99) + "…";
    table.add({fs::path(g.file).filename().string(),
               {std::to_string(g.points()), g.passed() ? Tone::good : Tone::bad},
               reason});
  }
  table.print();
}

std::vector<fs::path> files_of(const std::string& folder, const std::string& kind) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == kind) files.push_back(entry.path());
  if (error) throw Refusal(fmt::format("cannot read the folder {}: {}", folder, error.message()));
  if (files.empty()) throw Refusal(fmt::format("{} has no {} files", folder, kind));
  std::sort(files.begin(), files.end());
  return files;
}

int grade(const Options& o) {
  const harness::Places places = harness::find_places();
  std::vector<std::string> words = o.names;
  // softmax/02 mine.cu: the second word is a file; alone, a file of my/ names its exercise.
  const auto is_file = [](const std::string& word) {
    return is_kernel_file(word) || word.ends_with(".py") || word.ends_with(".wgsl");
  };
  const bool own_file = words.size() == 2 && is_file(words[1]);
  const std::string file = own_file ? words[1] : "";
  if (own_file) words.pop_back();
  const Exercise exercise = named_exercise(places, words);
  std::vector<fs::path> files =
      o.folder.empty() ? std::vector<fs::path>{file.empty() ? exercise.mine() : fs::path(file)}
                       : files_of(o.folder, extension(exercise.language));
  for (const fs::path& f : files)
    if (!fs::exists(f))
      throw Refusal(
          fmt::format("no file {}; ./warpath start {} makes one", f.string(), exercise.name()));
  std::vector<Grade> grades;
  Progress progress;
  const bool gpu = !exercise.is_twin() && choose_backend(places, "").gpu;
  Grader grader(places, exercise, o.timeout.value_or(300),
                CaseLimit{o.case_timeout.value_or(CaseLimit::usual)}, gpu);
  for (const fs::path& f : files) {
    progress.show(fmt::format("grading {} ({} of {})", f.filename().string(), grades.size() + 1,
                              files.size()));
    grades.push_back(grader.grade(f));
    progress.clear();
  }
  const bool passed =
      std::all_of(grades.begin(), grades.end(), [](const Grade& g) { return g.passed(); });
  const bool day_done = passed && o.folder.empty() && !exercise.day.empty();
  if (day_done) {
    DoneDays done = DoneDays::load();
    done.add(exercise.day, today(), "grade");
    done.save();
  }
  if (o.json) {
    ordered_json j = {
        {"exercise", exercise.name()}, {"passed", passed}, {"grades", ordered_json::array()}};
    for (const Grade& g : grades) j["grades"].push_back(to_json(g));
    print_json(j);
  } else if (o.folder.empty()) {
    print_grade(grades.front(), exercise.handle());
    if (day_done)
      fmt::print("day {} is done; {} shows the next\n", exercise.day,
                 paint(Tone::note, fmt::format("./warpath day {}", exercise.day.substr(0, 1))));
  } else {
    print_class(grades);
  }
  return passed ? all_passed : check_failed;
}

}  // namespace

const Command grade_command = {
    "grade", "points for your kernel of an exercise, or for a class", grade_examples,
    [](Flags& flags, Options& o) {
      flags.names(o.names, "a day, a rung, or nothing: the last one; then a file", false);
      flags.text("--folder", o.folder, "FOLDER",
                 "grade every file of that kind in it, in one table");
      flags.seconds("--timeout", o.timeout, "the most that each step may take (300)");
      flags.seconds("--case-timeout", o.case_timeout,
                    fmt::format("seconds the kernel may take on one case (default {:g}, three "
                                "times that under the checks)",
                                CaseLimit::usual));
      add_json_flag(flags, o);
    },
    grade};

}  // namespace warpath::cli
