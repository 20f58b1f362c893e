// warpath start, solution: the exercises of the course. Hints and grades are in hint.cpp and grade.cpp.
#include <fmt/format.h>

#include <fstream>

#include "cli/command.h"
#include "cli/exercise.h"
#include "cli/source_text.h"
#include "cli/terminal.h"
#include "harness/process.h"

namespace fs = std::filesystem;

namespace warpath::cli {
namespace {

constexpr const char* start_examples = R"(
Examples:
  ./warpath start A1                     the exercise of a day: a file in my/ with the interesting part left out
  ./warpath start softmax/02             the exercise of any rung
  ./warpath start softmax/02 --print     to the screen; nothing is written
  ./warpath start softmax.py             in Triton: my/softmax/softmax.py, the kernel left out
  ./warpath start softmax.wgsl           in WGSL, for WebGPU

The file is made from our solution, so it compiles as it is. A file that is there already is left alone.)";

constexpr const char* solution_examples = R"(
Examples:
  ./warpath solution softmax/02          our kernel, and how yours in my/ differs from it
  ./warpath solution                     of the exercise you worked on last
  ./warpath solution A2                  of a day: a kernel, or a program)";

void write_new(const fs::path& file, const std::string& text) {
  if (fs::exists(file))
    throw Refusal(
        fmt::format("{} is there already and stays as it is; move it away to begin again, or go "
                    "on: ./warpath watch",
                    file.string()));
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
  if (read_text(file) != text) throw Refusal(fmt::format("cannot write {}", file.string()));
}

int start(const Options& o) {
  const Exercise exercise = named_exercise(harness::find_places(), o.names);
  if (o.where) {
    fmt::print("{} {}\n", exercise.folder.name, exercise.mine().string());
    return all_passed;
  }
  if (o.names.empty()) throw Refusal("start what? ./warpath start A1, or a rung as softmax/02");
  const std::string text = stub_text(exercise);
  if (o.print_only) {
    fmt::print("{}", text);
    return all_passed;
  }
  const fs::path file = exercise.mine();
  write_new(file, text);
  fmt::print("wrote {}: open it in your editor, then\n", paint(Tone::strong, file.string()));
  for (const auto& [command, why] :
       {std::pair{"watch", "checks it at each save, and says the first thing that is wrong"},
        {"hint", "when you are stuck; again for a clearer one"},
        {"grade", "points, when you think it is right"}})
    fmt::print("  {}   {}\n",
               paint(Tone::note, fmt::format("./warpath {:5} {}", command, exercise.handle())),
               why);
  const fs::path lesson = exercise.folder.path / "README.md";
  fmt::print("the lesson: {}\n", near_path(lesson));
  return all_passed;
}

int solution(const Options& o) {
  const harness::Places places = harness::find_places();
  if (o.names.size() == 1)
    if (const auto program = program_of_day(places, o.names.front())) {
      fmt::print("{}\n{}", paint(Tone::strong, near_path(*program)), read_text(*program));
      return all_passed;
    }
  const Exercise exercise = named_exercise(places, o.names);
  const std::string ours = exercise.solution().string();
  fmt::print("{}\n{}", paint(Tone::strong, near_path(exercise.solution())),
             read_text(exercise.solution()));
  if (!fs::exists(exercise.mine())) return all_passed;
  const harness::CommandResult difference =
      harness::run_command({"diff", "-u", "--label", exercise.mine().string(), "--label", "ours",
                            exercise.mine().string(), ours});
  fmt::print("\n{}\n{}", paint(Tone::strong, "from yours to ours"),
             difference.output.empty() ? "no difference\n" : difference.output);
  return all_passed;
}

}  // namespace

const Command start_command = {
    "start", "an exercise: a rung with its kernel left out, for you to write", start_examples,
    [](Flags& flags, Options& o) {
      flags.names(o.names, "a day (A12) or a rung (softmax/02)", false);
      flags.yes("--where", o.where, "only say the op's folder and the file");
      flags.yes("--print", o.print_only, "to the screen; write no file");
    },
    start};

const Command solution_command = {
    "solution", "our kernel of an exercise, and how yours differs", solution_examples,
    [](Flags& flags, Options& o) {
      flags.names(o.names, "a day, a rung, or nothing: the last one", false);
    },
    solution};

}  // namespace warpath::cli
