#include "cli/twin_process.h"

#include <fmt/format.h>

#include <cstdlib>

#include "cli/options.h"
#include "harness/process.h"

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace warpath::cli {
namespace {

// WARPATH_PYTHON, or the environment that the launcher makes beside the program.
fs::path python_of(const harness::Places& places) {
  const char* const given = std::getenv("WARPATH_PYTHON");
  const fs::path python =
      given && *given ? fs::path(given)
                      : places.program.parent_path().parent_path() / "venv" / "bin" / "python";
  if (!fs::exists(python))
    throw Refusal("the Python parts are not there; ./warpath python fetches them, once");
  return python;
}

CheckAnswer ask(const std::vector<std::string>& environment, const fs::path& python, double seconds,
                const std::vector<std::string>& words) {
  // 100 MB in a file; 8 GB of memory.
  std::vector<std::string> command = {
      "/bin/sh", "-c", "ulimit -f 200000; ulimit -d 8000000; exec timeout -k 5 \"$0\" \"$@\"",
      std::to_string(int(seconds)), "env"};
  command.insert(command.end(), environment.begin(), environment.end());
  command.insert(command.end(), {python.string(), "-m", "warpath", "exercise"});
  command.insert(command.end(), words.begin(), words.end());
  const harness::CommandResult result = harness::run_command(command);
  if (result.status == 124 || result.status == 137)
    return {nullptr, fmt::format("took longer than {:.0f} s", seconds)};
  if (result.output.find("No module named") != result.output.npos)
    throw Refusal("the Python package is not built; ./warpath python builds it");
  const std::size_t begin = result.output.rfind("{\n \"op\"");
  if (result.status == 2) {
    const std::size_t said = result.output.rfind("warpath: ");
    if (said != result.output.npos) {
      std::string line = result.output.substr(said + 9);
      while (line.ends_with('\n')) line.pop_back();
      throw Refusal(line);
    }
  }
  if (result.status != 0 || begin == result.output.npos)
    return {nullptr, result.output.empty() ? fmt::format("ended with status {}", result.status)
                                           : first_error(result.output)};
  CheckAnswer answer;
  answer.json = ordered_json::parse(result.output.substr(begin), nullptr, false);
  if (answer.json.is_discarded()) return {nullptr, "its output could not be read"};
  return answer;
}

}  // namespace

CheckAnswer run_twin(const harness::Places& places, const Exercise& exercise, const fs::path& file,
                     double seconds, const std::vector<std::string>& words) {
  const fs::path python = python_of(places);
  std::vector<std::string> all = {exercise.rung, fs::absolute(file).string()};
  all.insert(all.end(), words.begin(), words.end());
  CheckAnswer answer = ask({}, python, seconds, all);
  // On a GPU the kernels run natively, where no access is watched: once more by Triton's interpreter.
  if (answer.there() && exercise.language == Language::triton && answer.json["clean"].is_null()) {
    const CheckAnswer watched =
        ask({"CUDA_VISIBLE_DEVICES=", "TRITON_INTERPRET=1"}, python, seconds, all);
    if (!watched.there()) return watched;
    answer.json["clean"] = watched.json["clean"];
    for (const auto& reason : watched.json["refused"]) answer.json["refused"].push_back(reason);
  }
  return answer;
}

TwinPart twin_part(const ordered_json& answer, const char* name) {
  const auto found = answer.find(name);
  if (found == answer.end() || found->is_null()) return {};
  return {true, found->value("passed", 0), found->value("failed", 0), found->value("trouble", "")};
}

std::vector<std::string> twin_refused(const ordered_json& answer) {
  return answer.value("refused", std::vector<std::string>());
}

}  // namespace warpath::cli
