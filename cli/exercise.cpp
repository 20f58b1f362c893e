#include "cli/exercise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <optional>

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
  if (folder && day.kind == DayKind::triton && has_twin(*folder, day.op, Language::triton))
    return {day.id(), *folder, day.op, Language::triton};
  if (day.kind == DayKind::program)
    throw Refusal(
        fmt::format("day {0} is a program of your own, {1}.cu: ./warpath day {0} shows the task, "
                    "./warpath solution {0} "
                    "our program",
                    day.id(), day.program));
  if (state.rung.empty() || !folder || day.kind != DayKind::op)
    throw Refusal(fmt::format(
        "day {0} has no kernel to start from; ./warpath day {0} shows its task", day.id()));
  return {day.id(), *folder, state.rung.stem().string(), Language::cuda};
}

// "softmax.py", "softmax/softmax_backward.wgsl", "my/softmax/softmax.py"
Exercise exercise_of_twin(const harness::Places& places, const std::string& word,
                          Language language) {
  const std::string op = fs::path(word).stem().string();
  const auto folder = harness::find_folder(places.root, op);
  if (!folder) throw Refusal(did_you_mean("op", op, known_names(places)));
  if (!fs::exists(twin_file(*folder, language)))
    throw Refusal(
        fmt::format("{} has no twin {}{} to start from", op, folder->name, extension(language)));
  if (!has_twin(*folder, op, language))
    throw Refusal(fmt::format("{} has no kernel of {} to leave out",
                              twin_file(*folder, language).filename().string(), op));
  return {"", *folder, op, language};
}

// Of a file's name; none for what is no exercise.
std::optional<Language> language_of(const fs::path& file) {
  for (const Language l : {Language::cuda, Language::triton, Language::wgsl})
    if (file.extension() == extension(l)) return l;
  return std::nullopt;
}

// The day that a stub was started for: its head names it in the commands to type. Empty: none.
std::string day_of_stub(const harness::Places& places, const fs::path& file,
                        const Exercise& exercise) {
  std::ifstream lines(file);
  const std::string mark = "./warpath watch ";
  std::string line;
  for (int i = 0; i < 3 && std::getline(lines, line); ++i) {
    const std::size_t at = line.find(mark);
    if (at == line.npos) continue;
    const std::string day =
        line.substr(at + mark.size(), line.find(' ', at + mark.size()) - at - mark.size());
    if (is_day(day) && exercise_of_day(places, day).name() == exercise.name()) return day;
  }
  return {};
}

// What a file in my/ is the exercise of; a learner may have other files there.
std::optional<Exercise> exercise_of_file(const harness::Places& places, const fs::path& file) {
  try {
    Exercise exercise = find_exercise(places, file.string());
    exercise.day = day_of_stub(places, file, exercise);
    return exercise;
  } catch (const Refusal&) {
    return std::nullopt;
  }
}

}  // namespace

const char* extension(Language language) {
  switch (language) {
    case Language::cuda:
      return ".cu";
    case Language::triton:
      return ".py";
    case Language::wgsl:
      return ".wgsl";
  }
  return "";
}

std::string Exercise::name() const {
  return folder.name + "/" + rung + (is_twin() ? extension(language) : "");
}

fs::path Exercise::solution() const {
  return is_twin() ? twin_file(folder, language) : folder.path / (rung + ".cu");
}

fs::path Exercise::mine() const {
  return fs::path("my") / folder.name / (rung + extension(language));
}

fs::path twin_file(const harness::OpFolder& folder, Language language) {
  return folder.path / (folder.name + extension(language));
}

bool has_twin(const harness::OpFolder& folder, const std::string& op, Language language) {
  const fs::path file = twin_file(folder, language);
  if (!fs::exists(file)) return false;
  const std::string text = read_text(file);
  return (language == Language::triton ? triton_stub(text, op) : wgsl_stub(text, op)).left_out > 0;
}

Exercise find_exercise(const harness::Places& places, const std::string& word) {
  if (is_day(word)) return exercise_of_day(places, word);
  if (const auto language = language_of(word); language && language != Language::cuda)
    return exercise_of_twin(places, word, *language);
  const std::string target = without_path(word);
  const std::size_t slash = target.find('/');
  const std::string op = target.substr(0, slash);
  const std::string wanted = slash == target.npos ? "" : target.substr(slash + 1);
  const auto folder = harness::find_folder(places.root, op);
  if (!folder && word.ends_with(".cu")) {
    if (!fs::exists(word)) throw Refusal(no_file(word));
    throw Refusal(
        fmt::format("'{0}' is no file of an exercise; an exercise is a day or a rung, as A1 or "
                    "softmax/02. For a kernel "
                    "of your own: ./warpath check OP {0}",
                    word));
  }
  if (!folder) throw Refusal(did_you_mean("op", op, known_names(places)));
  // By the rung's number in the ladder of the op, or by the file's name.
  for (const fs::path& file : OpsOfTree(places.root).ladder(op))
    if (rung_name(file).starts_with(wanted))
      return {"", *folder, file.stem().string(), Language::cuda};
  for (const std::string& rung : rungs_of(*folder))
    if (rung.starts_with(wanted)) return {"", *folder, rung, Language::cuda};
  throw Refusal(did_you_mean("rung", wanted, rungs_of(*folder)));
}

std::optional<fs::path> program_of_day(const harness::Places& places, const std::string& word) {
  if (!is_day(word)) return std::nullopt;
  const std::vector<Track> course = load_course(places.root);
  const Day& day = find_day(course, word);
  if (day.kind != DayKind::program) return std::nullopt;
  return places.root / "course" / "programs" / (day.program + ".cu");
}

Exercise named_exercise(const harness::Places& places, const std::vector<std::string>& words) {
  if (words.size() > 1) throw Refusal(fmt::format("one exercise at a time, not {}", join(words)));
  if (!words.empty()) return find_exercise(places, words.front());
  std::optional<Exercise> latest;
  fs::file_time_type when;
  std::error_code ignored;
  for (const auto& entry : fs::recursive_directory_iterator("my", ignored)) {
    if (!language_of(entry.path()) || (latest && entry.last_write_time() <= when)) continue;
    if (const auto found = exercise_of_file(places, entry.path())) {
      latest = found;
      when = entry.last_write_time();
    }
  }
  if (!latest)
    throw Refusal(
        "no exercise is started yet; ./warpath start A1 starts the first one of the course, "
        "./warpath start softmax/01 any other");
  return *latest;
}

std::vector<std::string> rungs_to_write(const harness::OpFolder& folder) {
  std::vector<std::string> names = rungs_of(folder);
  std::erase_if(names, [&](const std::string& rung) {
    return make_stub(read_text(folder.path / (rung + ".cu"))).left_out == 0;
  });
  return names;
}

std::string stub_text(const Exercise& exercise) {
  const std::string solution = read_text(exercise.solution());
  const Stub stub = exercise.language == Language::triton ? triton_stub(solution, exercise.rung)
                    : exercise.language == Language::wgsl ? wgsl_stub(solution, exercise.rung)
                                                          : make_stub(solution);
  if (stub.left_out == 0)
    throw Refusal(
        fmt::format("{} launches a kernel that several rungs share, so there is nothing to leave "
                    "out; to write: {}",
                    exercise.name(), join(rungs_to_write(exercise.folder))));
  const char* const mark = exercise.language == Language::triton ? "#" : "//";
  return fmt::format(R"({3} Your turn: {0}. Write what is missing where it says "Your code here".
{3}   ./warpath watch {1}       checks this file at each save
{3}   ./warpath hint {1}        a hint; again, a clearer one
{3}   ./warpath solution {1}    ours, and how yours differs
{3} What follows is what its author wrote about it.
{3}
{2})",
                     exercise.name(), exercise.handle(), stub.text, mark);
}

std::vector<std::string> hints_of(const Exercise& exercise) {
  std::ifstream lines(exercise.folder.path / "hints.md");
  std::vector<std::string> hints;
  bool inside = false;
  const std::string title =
      exercise.rung + (exercise.is_twin() ? extension(exercise.language) : "");
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("## ")) inside = line.substr(3) == title;
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
