#include "cli/day_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "cli/exercise.h"
#include "cli/source_text.h"
#include "cli/stub.h"
#include "core/host/registry.h"

namespace fs = std::filesystem;

namespace warpath::cli {
namespace {

std::vector<fs::path> numbered_files(const harness::OpFolder& folder, const std::string& prefix) {
  std::vector<fs::path> files;
  std::error_code ignored;
  for (const auto& e : fs::directory_iterator(folder.path, ignored)) {
    const fs::path& file = e.path();
    if (file.extension() != ".cu" || rung_name(file).size() < 3) continue;
    const bool numbered = rung_name(file)[2] == '_' && std::isdigit(rung_name(file)[0]) != 0;
    if (numbered && file.stem().string() == prefix + rung_name(file)) files.push_back(file);
  }
  std::sort(files.begin(), files.end());
  return files;
}

// From the stub to the points, for the exercise of a day.
std::vector<CommandLine> exercise_lines(const std::string& day, const std::string& language) {
  return {
      {"./warpath start " + day, fmt::format("a {}file in my/ with the kernel left out", language)},
      {"./warpath watch " + day, "checks it at each save"},
      {"./warpath hint " + day, "when you are stuck"},
      {"./warpath grade " + day, "points, and the day is done"}};
}

}  // namespace

CommandLine split_command(const std::string& line) {
  const auto at = line.find("  # ");
  if (at == std::string::npos) return {line, ""};
  return {line.substr(0, at), line.substr(at + 4)};
}

OpsOfTree::OpsOfTree(const fs::path& root) : root_(root), folders_(harness::op_folders(root)) {}

const harness::OpFolder* OpsOfTree::folder(const std::string& op) const {
  for (const harness::OpFolder& f : folders_)
    if (f.name == op) return &f;
  for (const harness::OpFolder& f : folders_)
    if (std::find(f.ops.begin(), f.ops.end(), op) != f.ops.end()) return &f;
  return nullptr;
}

bool OpsOfTree::has(const std::string& name) const {
  if (!name.ends_with('/')) return folder(name) != nullptr;
  return std::any_of(folders_.begin(), folders_.end(),
                     [&](const auto& f) { return f.family + "/" == name; });
}

std::vector<fs::path> OpsOfTree::ladder(const std::string& op) const {
  const harness::OpFolder* f = folder(op);
  if (!f) return {};
  // Files are named by the end of the op's name: backward_01_naive.cu of softmax_backward, dequantize_01_naive.cu of
  // nf4_dequantize. Ops that one file registers together have one ladder.
  for (std::size_t at = 0; f->name != op && at < op.size(); at = op.find('_', at) + 1) {
    if (std::vector<fs::path> own = numbered_files(*f, op.substr(at) + "_"); !own.empty())
      return own;
    if (op.find('_', at) == op.npos) break;
  }
  return numbered_files(*f, "");
}

std::string OpsOfTree::relative(const fs::path& file) const {
  return file.lexically_relative(root_).generic_string();
}

std::vector<CommandLine> OpsOfTree::own_commands(const Day& day, const DayState& state) const {
  if (day.kind == DayKind::program) {
    const std::string flags = day.flags.empty() ? "" : " " + day.flags;
    return {{fmt::format("./warpath cc {0}.cu -o {0}{1} && ./{0}", day.program, flags),
             "your program, on this CPU"},
            {fmt::format("./warpath cc --check {0}.cu -o {0}{1} && ./{0}", day.program, flags),
             "silent about races and memory when there is nothing wrong"}};
  }
  if (day.kind == DayKind::triton) {
    const harness::OpFolder* f = folder(day.op);
    std::vector<CommandLine> lines;
    if (has_twin(*f, day.op, Language::triton)) lines = exercise_lines(day.id(), "Triton ");
    lines.push_back({fmt::format("./warpath compare {}", day.op),
                     fmt::format("the twin {} beside PyTorch and our kernels",
                                 relative(f->path / (f->name + ".py")))});
    lines.push_back(
        {"./warpath python mine.py", "a script of yours; without a GPU by Triton's interpreter"});
    return lines;
  }
  if (day.kind != DayKind::op) return {};
  std::vector<CommandLine> lines = {
      {fmt::format("./warpath ops {}", day.op), "what it promises, its ladder, its cases"}};
  if (!state.rung.empty() && make_stub(read_text(root_ / state.rung)).left_out > 0) {
    for (CommandLine& line : exercise_lines(day.id(), "")) lines.push_back(std::move(line));
    if (day.webgpu && has_twin(*folder(day.op), day.op, Language::wgsl)) {
      lines.push_back({fmt::format("./warpath start {}.wgsl", day.op),
                       "the same kernel once more, in WGSL for WebGPU"});
      lines.push_back({fmt::format("./warpath grade {}.wgsl", day.op), "points for that one"});
    }
    return lines;
  }
  const std::vector<fs::path> rungs = ladder(day.op);
  const auto at = std::find(rungs.begin(), rungs.end(), root_ / state.rung);
  if (at != rungs.end() && at != rungs.begin())
    lines.push_back({fmt::format("cp {} mine.cu", relative(*(at - 1))),
                     fmt::format("the rung below: turn it into {}", rung_name(*at))});
  else if (!rungs.empty())
    lines.push_back({fmt::format("cp {} mine.cu", relative(rungs.front())),
                     "empty the kernel, keep the launcher, write it yourself"});
  lines.push_back({fmt::format("./warpath check {} mine.cu", day.op), "yours, on every case"});
  lines.push_back({fmt::format("./warpath check {} mine.cu --sanitize", day.op),
                   "races, memory, unwritten reads, barriers"});
  return lines;
}

DayState OpsOfTree::state(const Day& day) const {
  DayState s;
  std::vector<std::string> ops = day.needs;
  if (!day.op.empty()) ops.insert(ops.begin(), day.op);
  for (const std::string& op : ops)
    if (!has(op)) s.missing.push_back("the op " + op);
  const harness::OpFolder* f = day.op.empty() ? nullptr : folder(day.op);
  if (f && !day.rung.empty()) {
    for (const fs::path& file : ladder(day.op))
      if (rung_name(file).starts_with(day.rung) && s.rung.empty())
        s.rung = file.lexically_relative(root_);
    if (s.rung.empty()) s.missing.push_back(fmt::format("the rung {} of {}", day.rung, day.op));
  }
  if (day.kind == DayKind::triton && has(day.op) && !(f && fs::exists(f->path / (f->name + ".py"))))
    s.missing.push_back("the Triton twin of " + day.op);
  s.lesson = day.lesson;
  if (s.lesson.empty() && f && fs::exists(f->path / "README.md"))
    s.lesson = relative(f->path / "README.md");
  if (!s.open()) return s;
  s.commands = own_commands(day, s);
  for (const std::string& line : day.commands) s.commands.push_back(split_command(line));
  for (const std::string& op : day.see)
    if (has(op)) s.commands.push_back({"./warpath ops " + op, "the op that this is about"});
  return s;
}

}  // namespace warpath::cli
