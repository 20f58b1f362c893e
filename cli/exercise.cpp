#include "cli/exercise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>

#include "cli/course.h"
#include "cli/day_state.h"
#include "cli/op_names.h"
#include "cli/options.h"
#include "cli/source_text.h"
#include "cli/stub.h"
#include "core/host/registry.h"

namespace fs = std::filesystem;

namespace warpath::cli {
namespace {

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

// "A12"
bool is_day(const std::string& word) {
  return word.size() > 1 && std::isalpha(static_cast<unsigned char>(word[0])) &&
         std::all_of(word.begin() + 1, word.end(), is_digit);
}

std::vector<std::string> rungs_of(const harness::OpFolder& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder.path)) {
    const std::string stem = entry.path().stem().string();
    const std::string rung = rung_name(entry.path());  // without backward_ or the like
    const bool numbered =
        rung.size() > 3 && is_digit(rung[0]) && is_digit(rung[1]) && rung[2] == '_';
    if (entry.path().extension() == ".cu" && numbered) names.push_back(stem);
  }
  std::sort(names.begin(), names.end());
  return names;
}

// Of a stub: its path ends in OP/RUNG.cu.
std::string without_path(const std::string& word) {
  if (!word.ends_with(".cu")) return word;
  const fs::path path = word;
  return path.parent_path().filename().string() + "/" + path.stem().string();
}

Exercise exercise_of_day(const harness::Places& places, const std::string& word) {
  const std::vector<Track> course = load_course(places.root);
  const Day& day = find_day(course, word);
  const DayState state = OpsOfTree(places.root).state(day);
  if (!state.open())
    throw Refusal(
        fmt::format("day {} is not open yet: it needs {}", day.id(), join(state.missing)));
  const auto folder = day.op.empty() ? std::nullopt : harness::find_folder(places.root, day.op);
  if (state.rung.empty() || !folder || day.kind != DayKind::op)
    throw Refusal(fmt::format(
        "day {0} has no kernel to start from; ./warpath day {0} shows its task", day.id()));
  return {day.id(), *folder, state.rung.stem().string()};
}

}  // namespace

fs::path Exercise::mine() const {
  return fs::path("my") / folder.name / (rung + ".cu");
}

Exercise find_exercise(const harness::Places& places, const std::string& word) {
  if (is_day(word)) return exercise_of_day(places, word);
  const std::string target = without_path(word);
  const std::size_t slash = target.find('/');
  const std::string op = target.substr(0, slash);
  const std::string wanted = slash == target.npos ? "" : target.substr(slash + 1);
  const auto folder = harness::find_folder(places.root, op);
  if (!folder) throw Refusal(did_you_mean("op", op, known_names(places)));
  // By the file's name, or by the rung's number in the ladder of the op.
  for (const std::string& rung : rungs_of(*folder))
    if (!wanted.empty() && rung.starts_with(wanted)) return {"", *folder, rung};
  for (const fs::path& file : OpsOfTree(places.root).ladder(op))
    if (rung_name(file).starts_with(wanted)) return {"", *folder, file.stem().string()};
  throw Refusal(did_you_mean("rung", wanted, rungs_of(*folder)));
}

Exercise named_exercise(const harness::Places& places, const std::vector<std::string>& words) {
  if (words.size() > 1) throw Refusal(fmt::format("one exercise at a time, not {}", join(words)));
  if (!words.empty()) return find_exercise(places, words.front());
  fs::path latest;
  std::error_code ignored;
  for (const auto& entry : fs::recursive_directory_iterator("my", ignored)) {
    if (entry.path().extension() != ".cu") continue;
    if (latest.empty() || entry.last_write_time() > fs::last_write_time(latest))
      latest = entry.path();
  }
  if (latest.empty())
    throw Refusal("no exercise is started yet; ./warpath start vector_add/01 starts the first one");
  return find_exercise(places, latest.string());
}

std::vector<std::string> rungs_to_write(const harness::OpFolder& folder) {
  std::vector<std::string> names = rungs_of(folder);
  std::erase_if(names, [&](const std::string& rung) {
    return make_stub(read_text(folder.path / (rung + ".cu"))).left_out == 0;
  });
  return names;
}

std::string stub_text(const Exercise& exercise) {
  const Stub stub = make_stub(read_text(exercise.solution()));
  if (stub.left_out == 0)
    throw Refusal(
        fmt::format("{} launches a kernel that several rungs share, so there is nothing to leave "
                    "out; to write: {}",
                    exercise.name(), join(rungs_to_write(exercise.folder))));
  return fmt::format(R"(// Your turn: {0}. Write what is missing where it says "Your code here".
//   ./warpath watch {1}       checks this file at each save
//   ./warpath hint {1}        a hint; again, a clearer one
//   ./warpath solution {1}    ours, and how yours differs
// What follows is what its author wrote about it.
//
{2})",
                     exercise.name(), exercise.handle(), stub.text);
}

std::vector<std::string> hints_of(const Exercise& exercise) {
  std::ifstream lines(exercise.folder.path / "hints.md");
  std::vector<std::string> hints;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("## ")) inside = line.substr(3) == exercise.rung;
    if (!inside || line.starts_with("## ")) continue;
    const std::size_t number = line.find(". ");  // "2. Which thread …"
    if (number != line.npos && number > 0 &&
        std::all_of(line.begin(), line.begin() + std::ptrdiff_t(number), is_digit))
      hints.push_back(line.substr(line.find_first_not_of(' ', number + 2)));
    else if (!hints.empty() && line.find_first_not_of(' ') != line.npos)
      hints.back() += " " + line.substr(line.find_first_not_of(' '));
  }
  return hints;
}

}  // namespace warpath::cli
