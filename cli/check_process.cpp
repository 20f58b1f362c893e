#include "cli/check_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/kernel_source.h"
#include "harness/process.h"

using nlohmann::ordered_json;

namespace warpath::cli {
namespace {

std::string last_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

// In one line: "race: two threads, one element: s[1] in shared memory, at mine.cu:8: s[t] += s[t + k];"
std::string finding_text(const ordered_json& finding) {
  const std::string kind = finding.value("kind", ""), source = trimmed(finding.value("text", ""));
  const std::string file = std::filesystem::path(finding.value("file", "")).filename().string();
  std::string text = (kind.empty() ? "" : kind + ": ") + finding.value("message", finding.dump());
  if (!file.empty()) text += fmt::format(", at {}:{}", file, finding.value("line", 0));
  return text + (source.empty() ? "" : ": " + source);
}

// The first access out of bounds that the checks found: where it is, and who made it. Empty: none.
std::string first_outside(const ordered_json& json) {
  const auto place = [](const ordered_json& axes) {
    return fmt::format("({}, {}, {})", axes.at(0).get<int>(), axes.at(1).get<int>(),
                       axes.at(2).get<int>());
  };
  for (const auto& op : json.at("ops"))
    for (const auto& rung : op.at("rungs"))
      for (const auto& f : rung.value("findings", ordered_json::array()))
        if (f.value("kind", "") == "out of bounds" && f.contains("thread") && f.contains("block"))
          return fmt::format("the first access out of bounds is by thread {} of block {}, {}:{}",
                             place(f["thread"]), place(f["block"]),
                             std::filesystem::path(f.value("file", "")).filename().string(),
                             f.value("line", 0));
  return "";
}

CheckAnswer run_limited(const harness::Places& places, const char* verb, double seconds,
                        const std::vector<std::string>& words) {
  // 100 MB in a file; 8 GB of memory, except where the checks keep a copy of all memory that may ever be used, and on a
  // GPU, whose memory is mapped into the process.
  const bool checked = std::find(words.begin(), words.end(), "--sanitize") != words.end();
  const bool timed = std::string(verb) == "run";
  // A soft limit: `check` may start another one, under the checks.
  const std::string limits =
      std::string("ulimit -f 200000; ") +
      (checked || timed ? "ulimit -S -d unlimited 2>/dev/null; " : "ulimit -S -d 8000000; ");
  std::vector<std::string> command = {"/bin/sh",
                                      "-c",
                                      limits + "exec timeout -k 5 \"$0\" \"$@\"",
                                      std::to_string(int(seconds)),
                                      places.program.string(),
                                      verb,
                                      "--json"};
  command.insert(command.end(), words.begin(), words.end());
  const harness::CommandResult result = harness::run_command(command);
  if (result.status == 124 || result.status == 137)
    return {nullptr, fmt::format("took longer than {:.0f} s", seconds)};
  const std::size_t begin = result.output.find("{\n");
  if (result.status > 1 || begin == result.output.npos) return {nullptr, result.output};
  CheckAnswer answer;
  answer.json = ordered_json::parse(result.output.substr(begin), nullptr, false);
  if (answer.json.is_discarded()) return {nullptr, "its output could not be read"};
  return answer;
}

}  // namespace

std::string first_error(const std::string& messages) {
  const std::size_t at = messages.find("error: ");
  if (at == messages.npos) return last_line(messages);
  const std::size_t begin = messages.rfind('\n', at) + 1;  // npos + 1 is 0
  return messages.substr(begin, messages.find('\n', at) - begin);
}

CheckAnswer run_check(const harness::Places& places, double seconds,
                      const std::vector<std::string>& words) {
  return run_limited(places, "check", seconds, words);
}

std::vector<std::string> CaseLimit::on(std::vector<std::string> words) const {
  const bool checked = std::find(words.begin(), words.end(), "--sanitize") != words.end();
  words.insert(words.end(), {"--timeout", fmt::format("{}", checked ? 3 * seconds : seconds)});
  return words;
}

std::string CaseLimit::explained(const std::string& trouble, const std::string& flag) {
  const bool late = trouble.find("no answer within ") != trouble.npos ||
                    trouble.find("time limit: ") != trouble.npos;
  return late ? trouble + " (" + flag + " S gives it longer)" : trouble;
}

CheckAnswer run_timed(const harness::Places& places, double seconds,
                      const std::vector<std::string>& words) {
  return run_limited(places, "run", seconds, words);
}

std::string find_writer(const harness::Places& places, const std::string& op,
                        const std::string& file, const std::string& test, const std::string& dtype,
                        const std::string& seed, const std::string& reason) {
  const std::size_t expected = reason.find(", expected ");
  const bool outside =
      reason.starts_with("wrote ");  // past the end or before the start of a tensor
  if ((expected == reason.npos && !outside) || !file.ends_with(".cu")) return "";
  constexpr double seconds = 30;
  const CheckAnswer again = run_check(
      places, seconds, {op, file, "--sanitize", "--case", test, "--dtype", dtype, "--seed", seed});
  if (!again.there()) return "";
  if (outside) return first_outside(again.json);
  const std::string trouble = count_cases(again.json).first_trouble;
  const std::size_t name = reason.rfind(' ', reason.rfind(" is ", expected) - 1) + 1;
  const std::string element = reason.substr(name, reason.rfind(" is ", expected) + 4 - name);
  const std::size_t writer = trouble.find("; written last by ");
  return trouble.find(element) == trouble.npos || writer == trouble.npos
             ? ""
             : trouble.substr(writer + 2);
}

CheckCounts count_cases(const ordered_json& json) {
  CheckCounts counts;
  for (const auto& op : json.at("ops")) {
    counts.op = op.at("op");
    for (const auto& rung : op.at("rungs")) {
      counts.passed += rung.value("passed", 0);
      counts.failed += rung.value("failed", 0);
      if (const auto found = rung.find("findings"); found != rung.end() && !found->empty())
        counts.first_trouble = finding_text(found->front());
    }
    for (const auto& record : op.at("records")) {
      if (!counts.failed_case.empty()) continue;
      const bool failed = record.value("status", "") == "failed";
      if (const std::string text = record.value("output", "");
          !text.empty() && (failed || counts.printed.empty())) {
        counts.printed = text;
        counts.printed_in =
            fmt::format("{} {}", record.value("case", ""), record.value("dtype", ""));
      }
      if (!counts.first_trouble.empty() || !failed) continue;
      counts.failed_case = record.value("case", "");
      counts.failed_type = record.value("dtype", "");
      counts.first_trouble = fmt::format("case {} {}: {}", counts.failed_case, counts.failed_type,
                                         record.value("reason", ""));
    }
  }
  return counts;
}

}  // namespace warpath::cli
