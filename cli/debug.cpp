// warpath debug OP/RUNG, warpath debug OP mine.cu: compiles the rung for gdb and opens it in one
// case. A program goes to warpath-debug as it is.
#include "cli/debug.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cli/call.h"
#include "cli/day_state.h"
#include "cli/kernel_source.h"
#include "cli/learner.h"
#include "cli/op_names.h"
#include "cli/source_text.h"
#include "cli/terminal.h"
#include "core/host/nearest.h"
#include "harness/process.h"

namespace fs = std::filesystem;

namespace warpath::cli {
namespace {

// The command line in three: what to open, what is ours, what goes to warpath-debug.
struct Asked {
  std::vector<std::string> words;
  std::string test, dtype, grid;
  std::vector<std::string> for_gdb;
};

Asked parse(const std::vector<std::string>& words) {
  static const std::set<std::string> with_value = {"--block", "--thread", "--kernel", "--launch",
                                                   "--break", "-x",       "-ex"};
  Asked asked;
  const std::map<std::string, std::string*> ours = {
      {"--case", &asked.test}, {"--dtype", &asked.dtype}, {"--grid", &asked.grid}};
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const auto equals = word.find('=');
    const auto mine = ours.find(word.substr(0, word.starts_with("--") ? equals : word.npos));
    if (mine != ours.end()) {
      if (equals == word.npos && i + 1 == words.size())
        throw Refusal(fmt::format("debug: option '{}' needs a value", word));
      *mine->second = equals == word.npos ? words[++i] : word.substr(equals + 1);
    } else if (word.empty() || word[0] != '-') {
      asked.words.push_back(word);
    } else {
      asked.for_gdb.push_back(word);
      if (with_value.contains(word) && i + 1 < words.size()) asked.for_gdb.push_back(words[++i]);
    }
  }
  return asked;
}

bool is_op(const harness::Places& places, const std::string& word) {
  const std::vector<std::string> known = known_names(places);
  return std::find(known.begin(), known.end(), word) != known.end();
}

// A case that is large enough to have something to look at, and small enough to step through.
std::pair<std::string, DType> choose_case(const Op& op, const Rung& rung, const Asked& asked) {
  const Case* best = nullptr;
  DType type = DType::f32;
  std::int64_t most = 0;  // elements of the best one
  std::string why;
  for (const Case& c : op.cases) {
    if (c.bench || !c.name.starts_with(asked.test)) continue;
    for (const DType d : harness::dtypes_of(op, c)) {
      if (!asked.dtype.empty() && asked.dtype != name(d)) continue;
      const harness::Plan plan = harness::make_plan(op, c, d);
      const std::string no = rung.supports(args_without_data(plan).get());
      if (!no.empty()) {
        why = no;
        continue;
      }
      std::int64_t elements = 0;
      for (const harness::TensorPlan& t : plan.tensors) elements += t.present ? t.size : 0;
      const bool roomy = elements >= 256, best_roomy = most >= 256;
      if (!best || (roomy && !best_roomy) || (roomy && elements < most)) {
        best = &c;
        type = d;
        most = elements;
      }
    }
  }
  if (!best)
    throw Refusal(why.empty() ? fmt::format("{} has no such case and type", op.contract.name())
                              : fmt::format("no case fits: {}", why));
  return {best->name, type};
}

}  // namespace

fs::path rung_file(const harness::Places& places, const std::string& op, const std::string& rung) {
  const auto folder = harness::find_folder(places.root, op);
  if (!folder) throw Refusal(did_you_mean("op", op, known_names(places)));
  std::vector<fs::path> found;
  std::vector<std::string> names, fitting;
  for (const fs::path& file : OpsOfTree(places.root).ladder(op)) {
    names.push_back(rung_name(file));
    if (!names.back().starts_with(rung)) continue;
    fitting.push_back(names.back());
    found.push_back(file);
  }
  // By the file's name: softmax/backward_03 is 03_warp of softmax_backward.
  if (found.empty())
    for (const auto& e : fs::directory_iterator(folder->path))
      if (const std::string stem = e.path().stem().string();
          e.path().extension() == ".cu" && stem.starts_with(rung) && !rung.empty() &&
          !stem.starts_with("peers")) {
        found.push_back(e.path());
        fitting.push_back(stem);
      }
  std::sort(fitting.begin(), fitting.end());
  if (found.empty()) throw Refusal(did_you_mean("rung", rung, names, "of " + op));
  if (found.size() > 1)
    throw Refusal(fmt::format("rung '{}' may be any of: {}", rung, join(fitting)));
  return found.front();
}

bool opens_rung(const std::vector<std::string>& words) {
  const Asked asked = parse(words);
  if (asked.words.empty()) return false;
  const std::string& first = asked.words.front();
  std::error_code ignored;
  if (first.ends_with(".cu")) return true;
  if (fs::is_regular_file(first, ignored)) return false;
  const harness::Places places = harness::find_places();
  const std::string op = first.substr(0, first.rfind('/'));
  if (is_op(places, first) || is_op(places, op)) return true;
  // No program either: an op that is misspelt.
  const std::vector<std::string> known = known_names(places);
  if (!fs::exists(first, ignored)) {
    if (first[0] != '.' && first[0] != '/' && !nearest(op, known).empty())
      throw Refusal(did_you_mean("op", op, known));
    throw Refusal(fmt::format("no op, file or program '{}'; ./warpath debug --help", first));
  }
  return false;
}

namespace {

// A whole program in one file: compiled for gdb. A file that says which op it is of is a rung or a kernel all the same.
bool is_program(const fs::path& file) {
  if (!fs::exists(file) || registers_rung(file) || !has_main(file)) return false;
  return std::ranges::none_of(read_kernels(harness::find_places(), file).kernels,
                              [](const Kernel& k) { return k.comment.has_value(); });
}

std::vector<std::string> program_in_gdb(const harness::Places& places, const fs::path& file,
                                        const Asked& asked) {
  const fs::path folder = places.lib.parent_path() / "debug";
  fs::create_directories(folder);
  const std::string program = (folder / file.stem()).string();
  {
    Progress progress;
    progress.show("compiling " + file.string() + " for gdb");
    const harness::CommandResult built =
        harness::run_command({(places.program.parent_path() / "warpath-cc").string(), "-G",
                              file.string(), "-o", program});
    if (built.status != 0)
      throw Refusal(fmt::format("{} does not compile:\n{}", file.string(), built.output));
  }
  std::vector<std::string> command = asked.for_gdb;
  command.push_back(program);
  command.insert(command.end(), asked.words.begin() + 1, asked.words.end());
  return command;
}

}  // namespace

std::vector<std::string> rung_in_gdb(const std::vector<std::string>& words) {
  const harness::Places places = harness::find_places();
  Asked asked = parse(words);
  std::vector<std::string>& what = asked.words;
  const std::string first = what.front();
  std::string op;
  fs::path file;
  if (first.ends_with(".cu")) {
    if (is_program(first)) return program_in_gdb(places, first, asked);
    file = first;
  } else if (const auto slash = first.rfind('/'); !is_op(places, first)) {
    op = first.substr(0, slash);
    file = rung_file(places, op, first.substr(slash + 1));
  } else {
    op = first;
    if (what.size() < 2)
      throw Refusal(
          fmt::format("debug: which rung of {0}? `./warpath debug {0}/01`, or a file of "
                      "yours: `./warpath debug {0} mine.cu`",
                      op));
    file = what[1].ends_with(".cu") ? fs::path(what[1]) : rung_file(places, op, what[1]);
  }
  const Backend backend = choose_backend(places, "simt");
  const fs::path folder = places.lib.parent_path() / "debug";
  fs::create_directories(folder);
  const fs::path library = folder / (file.stem().string() + ".so");
  PlainOptions plain;
  if (!op.empty()) plain.ops = {op};
  plain.launch.grid = asked.grid;
  {
    Progress progress;
    progress.show("compiling " + file.string() + " for gdb");
    const std::string match =
        build_kernel(places, backend, Build::debug, file, plain, library).match;
    progress.clear();
    if (!match.empty()) fmt::print("{}\n", match);
  }
  const LearnerKernels own(places, backend, false, {library.string()});
  const fs::path source = fs::absolute(file);
  std::vector<OpEntry> ops = find_ops(places, own.ops(), backend.name, RungSet::none);
  own.join(ops);
  for (const OpEntry& e : ops) {
    if (!op.empty() && is_op(places, op) && e.name() != op && e.folder != op) continue;
    for (const harness::Contestant& c : e.contestants) {
      if (fs::path(c.rung->file) != source) continue;
      const auto [test, dtype] = choose_case(*e.op, *c.rung, asked);
      fmt::print("{} of {} on the case '{}' in {}\n", c.name, e.name(), test, name(dtype));
      std::fflush(stdout);
      std::vector<std::string> command = asked.for_gdb;
      const std::vector<std::string> program = {
          "--library", library,  "--",       places.program, "check",
          library,     "--case", test,       "--dtype",      std::string(name(dtype)),
          "--backend", "simt",   "--no-fork"};
      command.insert(command.end(), program.begin(), program.end());
      return command;
    }
  }
  throw Refusal(fmt::format("{} has no rung of {}", file.string(), op));
}

}  // namespace warpath::cli
