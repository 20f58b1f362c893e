// warpath profile: ncu around one rung, its counters beside the counts of xray; a timeline where nsys is.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>

#include "cli/command.h"
#include "cli/debug.h"
#include "cli/learner.h"
#include "cli/report.h"
#include "cli/terminal.h"
#include "cli/timeline.h"
#include "cli/xray_run.h"
#include "harness/process.h"

namespace fs = std::filesystem;

namespace warpath::cli {
namespace {

constexpr const char* profile_examples = R"(
Examples:
  ./warpath profile softmax/01_naive               ncu's counters beside xray's counts; keeps the report file
  ./warpath profile softmax/01_naive --case '1k rows' --dtype f32

Needs a GPU, nvcc and ncu; where nsys is installed, a timeline is kept too.
Exit status: 0 done, 2 the command was wrong or a part is missing.)";

struct Metric {
  const char *name, *words;
  bool (*which)(const XrayAccess&);
  double XrayAccess::*what;
};
bool is_load(const XrayAccess& a) {
  return a.space == "global" && a.loads() && !a.bulk();
}
bool is_store(const XrayAccess& a) {
  return a.space == "global" && a.stores() && !a.bulk();
}
bool is_shared_load(const XrayAccess& a) {
  return a.shared() && a.loads();
}
bool is_shared_store(const XrayAccess& a) {
  return a.shared() && a.stores();
}
const Metric metrics[] = {
    {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "global load requests", is_load,
     &XrayAccess::requests},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "global load sectors", is_load,
     &XrayAccess::sectors},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "global store requests", is_store,
     &XrayAccess::requests},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "global store sectors", is_store,
     &XrayAccess::sectors},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "shared load wavefronts",
     is_shared_load, &XrayAccess::wavefronts},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "shared store wavefronts",
     is_shared_store, &XrayAccess::wavefronts},
};

std::string find_ncu() {
  if (const char* asked = std::getenv("NCU"); asked && *asked) return asked;
  for (const char* place : {"ncu", "/usr/local/cuda/bin/ncu"})
    if (harness::run_command({place, "--version"}).status == 0) return place;
  throw Refusal(
      "profile needs ncu (Nsight Compute): it comes with the CUDA toolkit, or as NVIDIA's package "
      "nsight-compute; NCU=/path/to/ncu names "
      "another one. Without a GPU, `./warpath xray` counts the same accesses on this CPU");
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::string cell;
  bool quoted = false;
  for (const char c : line) {
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      cells.push_back(std::exchange(cell, ""));
    else
      cell += c;
  }
  cells.push_back(cell);
  return cells;
}

// `ncu --csv --page raw`: a line of names, one of units, then one for each launch. Sums by metric.
std::map<std::string, double> sums_of(const std::string& text) {
  std::map<std::string, double> sums;
  std::istringstream lines(text);
  std::vector<std::string> names;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("\"ID\"")) {
      names = cells_of(line);
    } else if (!names.empty()) {
      const std::vector<std::string> cells = cells_of(line);
      if (cells.size() != names.size() || cells[0].empty()) continue;
      for (std::size_t i = 0; i < cells.size(); ++i) {
        std::string digits = cells[i];
        std::erase(digits, ',');
        sums[names[i]] += std::strtod(digits.c_str(), nullptr);
      }
    }
  }
  return sums;
}

int profile(const Options& o) {
  const harness::Places places = harness::find_places();
  if (o.names.size() != 1 || o.names[0].find('/') == std::string::npos)
    throw Refusal("profile: one rung: `./warpath profile softmax/01`");
  const std::string ncu = find_ncu();
  const Backend backend = choose_backend(places, "cuda");
  const std::string word = o.names[0], op = word.substr(0, word.rfind('/'));
  const fs::path file = rung_file(places, op, word.substr(word.rfind('/') + 1));
  Options counted = o;
  counted.registers = false;
  const Xray x = take_xray(places, word, op, counted);
  const fs::path folder = places.lib.parent_path() / "xray";
  const fs::path library = folder / fmt::format("{}_{}_profile.so", op, file.stem().string());
  {
    Progress progress;
    progress.show("compiling " + file.string() + " for the GPU");
    build_kernel(places, backend, Build::plain, file, {}, library);
  }
  std::set<std::string> kernels;
  for (const XrayLaunch& l : x.launches) kernels.insert(l.kernel.substr(0, l.kernel.find('<')));
  std::vector<std::string> names;
  for (const Metric& m : metrics) names.emplace_back(m.name);
  const std::string report = fmt::format("{}_{}.ncu-rep", op, file.stem().string());
  const std::string test =
      x.test.substr(x.test.find('\'') + 1, x.test.rfind('\'') - x.test.find('\'') - 1);
  const std::vector<std::string> program = {places.program.string(),
                                            "check",
                                            library.string(),
                                            "--op",
                                            x.title.substr(0, x.title.find('/')),
                                            x.shape.empty() ? "--case" : "--smaller",
                                            test,
                                            "--dtype",
                                            x.test.substr(x.test.rfind(' ') + 1),
                                            "--backend",
                                            "cuda",
                                            "--no-fork",
                                            "--launches",
                                            "1"};
  std::vector<std::string> line = {ncu,
                                   "-f",
                                   "-o",
                                   report,
                                   "--set",
                                   "full",
                                   "--clock-control",
                                   "none",
                                   "--kernel-name",
                                   fmt::format("regex:^({})$", fmt::join(kernels, "|")),
                                   "--metrics",
                                   fmt::format("{}", fmt::join(names, ","))};
  line.insert(line.end(), program.begin(), program.end());
  const harness::CommandResult run = harness::run_command(line);
  if (run.output.find("ERR_NVGPUCTRPERM") != run.output.npos)
    throw Refusal(
        "ncu may not read the GPU's counters: run this as root, or load the driver with "
        "NVreg_RestrictProfilingToAdminUsers=0 "
        "(https://developer.nvidia.com/ERR_NVGPUCTRPERM)");
  if (run.status != 0 || !fs::exists(report)) throw Refusal("ncu failed:\n" + run.output);
  const auto sums = sums_of(harness::run_command({ncu, "--import", report, "--csv", "--page", "raw",
                                                  "--print-units", "base"})
                                .output);
  fmt::print("{}, {}{}\n\n", paint(Tone::strong, x.title), x.test,
             x.shape.empty() ? "" : " (" + x.shape + ")");
  Table table({"", "counted by xray", "measured by ncu", "", "Nsight Compute's name"}, "lrrrl");
  for (const Metric& m : metrics) {
    double count = 0;
    for (const XrayLaunch& l : x.launches) count += l.launches * l.sum(m.which, m.what);
    const auto found = sums.find(m.name);
    const double measured = found != sums.end() ? found->second : 0;
    if (count == 0 && measured == 0) continue;
    table.add({{m.words},
               {short_count(count)},
               {short_count(measured)},
               {count == measured ? "="
                : count > 0       ? fmt::format("{:.3g}x", measured / count)
                                  : "",
                Tone::dim},
               {m.name, Tone::dim}});
  }
  table.print();
  fmt::print("\nthe whole report: {} (ncu-ui opens it, or ncu --import)\n", report);
  const std::string timeline =
      keep_timeline(program, fmt::format("{}_{}", op, file.stem().string()));
  if (!timeline.empty()) fmt::print("{}\n", timeline);
  return all_passed;
}

}  // namespace

const Command profile_command = {
    "profile", "ncu around one rung on a GPU, beside the counts of xray", profile_examples,
    [](Flags& flags, Options& o) {
      flags.words("what", o.names, "OP/RUNG", true);
      flags.list("--case", o.cases, false, "C", "the case to run: a name or the start of one");
      flags.list("--dtype", o.dtypes, true, "D", "its type: f32, f16, bf16, i32 …");
    },
    profile};

}  // namespace warpath::cli
