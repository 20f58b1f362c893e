#include "cli/learner.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <set>

#include "cli/launched_files.h"
#include "cli/op_names.h"
#include "cli/source_text.h"
#include "cli/terminal.h"

namespace fs = std::filesystem;

namespace warpath::cli {
namespace {

// From Hopper on, some instructions exist only in the "a" form of an architecture.
std::string device_flag(int arch) {
  const std::string name = std::to_string(arch) + (arch >= 90 ? "a" : "");
  return fmt::format("-gencode=arch=compute_{0},code=sm_{0}", name);
}

// The OP_parts archives of the ops whose headers the file includes: it may launch kernels from
// other files of the op.
std::vector<fs::path> parts_of(const harness::Places& places, const Backend& backend, bool checked,
                               const fs::path& file) {
  const char* const built = backend.gpu ? "cuda" : checked ? "checked" : "simt";
  std::set<fs::path> archives;
  for (const fs::path header : includes_of(read_text(file))) {
    const fs::path folder = header.parent_path();  // ops/FAMILY/OP
    if (folder.parent_path().parent_path() != "ops") continue;
    archives.insert(places.lib /
                    fmt::format("lib{}_parts_{}.a", folder.filename().string(), built));
  }
  std::vector<fs::path> there;
  for (const fs::path& archive : archives)
    if (fs::exists(archive)) there.push_back(archive);
  return there;
}

// `compiled` is the file, or what was made of it.
std::vector<std::string> compile_command(const harness::Places& places, const Backend& backend,
                                         Build build, const fs::path& file,
                                         const fs::path& compiled, const fs::path& library,
                                         const std::string& one_float) {
  std::vector<std::string> command;
  if (backend.gpu) {
    const char* nvcc = std::getenv("NVCC");
    command = {nvcc && *nvcc ? nvcc : "nvcc", device_flag(backend.probe.info.arch)};
  } else {
    command = {(places.program.parent_path() / "warpath-cc").string()};
    // Running threads on fibers shows a missing barrier more often than loops over the threads.
    command.emplace_back(build == Build::checked ? "--check"
                         : build == Build::debug ? "-G"
                         : build == Build::xray  ? "--xray"
                                                 : "--no-split");
  }
  // Hidden visibility, so that the file's symbols do not clash with those of the shipped library in
  // the same process.
  for (const char* flag :
       {"-std=c++20", "--expt-relaxed-constexpr", build == Build::debug ? "-O0" : "-O2", "-shared",
        "-Xcompiler", "-fPIC,-fvisibility=hidden,-fvisibility-inlines-hidden"})
    command.emplace_back(flag);
  command.push_back("-I" + places.root.string());
  if (!one_float.empty())
    command.insert(command.end(), {"-DWARPATH_ONE_FLOAT=" + one_float, "-include",
                                   (places.root / "core/host/one_float.cuh").string()});
  command.push_back("-I" + file.parent_path().string());  // `compiled` lies elsewhere
  command.push_back(compiled.string());
  if (build != Build::xray) {
    for (const fs::path& archive : parts_of(places, backend, build == Build::checked, file))
      command.push_back(archive.string());
  } else {
    // Kernels that the rung launches from other files are to be counted too.
    for (const fs::path& other : launched_files(places.root, file))
      command.push_back(other.string());
  }
  if (const fs::path archive = places.lib / "libwarpath_rung.a"; fs::exists(archive)) {
    command.push_back(archive.string());
  } else {
    std::error_code ignored;
    for (const auto& e : fs::directory_iterator(places.root / "core" / "host", ignored))
      if (e.path().extension() == ".cpp") command.push_back(e.path().string());
  }
  command.emplace_back("-o");
  command.push_back(library.string());
  return command;
}

// Opened in a child first: the initialisers of a library may crash too.
std::string try_opening(const fs::path& library) {
  const pid_t pid = harness::fork_child();
  if (pid == 0) {
    const bool ok = harness::open_library(library).ok();
    _exit(ok ? 0 : 1);
  }
  const int status = harness::wait_child(pid);
  return WIFSIGNALED(status) ? harness::describe_status(status) : "";
}

}  // namespace

bool is_kernel_file(const std::string& word) {
  return word.ends_with(".cu") || word.ends_with(".so");
}

PlainKernel build_kernel(const harness::Places& places, const Backend& backend, Build build,
                         const fs::path& file, const PlainOptions& plain, const fs::path& library,
                         const std::string& one_float) {
  if (!fs::exists(file)) throw Refusal(no_file(file));
  const fs::path source = fs::absolute(file);
  fs::path compiled = source;
  PlainKernel kernel;
  harness::TemporaryFolder folder;
  if (!registers_rung(source)) {
    kernel = make_plain_kernel(places, source, plain);
    compiled = folder.file("launcher.cu");
    std::ofstream(compiled) << kernel.text;
    kernel.match = fmt::format("{}: {}", source.filename().string(), kernel.match);
  }
  const auto command =
      compile_command(places, backend, build, source, compiled, library, one_float);
  const harness::CommandResult result = harness::run_command(command);
  if (result.status == 127)
    throw Refusal(
        fmt::format("cannot run {}; `./warpath doctor` says what is missing", command.front()));
  if (result.status != 0)
    throw Refusal(fmt::format("{} does not compile:\n{}", file.string(), result.output));
  return kernel;
}

LearnerKernels::LearnerKernels(const harness::Places& places, const Backend& backend, bool checked,
                               const std::vector<std::string>& files, const PlainOptions& plain) {
  Progress progress;
  for (const std::string& file : files) {
    const fs::path source = fs::absolute(file);
    const bool built = file.ends_with(".so");
    fs::path library = source;
    if (!built) {
      progress.show("compiling " + file);
      library = folder_.file(fmt::format("{}_{}.so", source.stem().string(), contestants_.size()));
      PlainKernel kernel = build_kernel(places, backend, checked ? Build::checked : Build::plain,
                                        file, plain, library);
      if (!kernel.match.empty()) {
        matches_.push_back(kernel.match);
        plain_.emplace(source.filename().string(), std::move(kernel));
      }
      progress.clear();
    }
    if (const std::string crash = try_opening(library); !crash.empty())
      throw Refusal(fmt::format("{} {} while it was loaded", file, crash));
    const harness::OpenLibrary opened = harness::open_library(library);
    if (!opened.loaded) throw Refusal(fmt::format("{} does not load: {}", file, opened.error));
    // A shipped rung whose kernel this one launches was linked too. It is not a rung of the
    // learner's.
    const std::size_t before = contestants_.size();
    if (opened.ok())  // without a rung nothing of the registry is linked
      for (const Rung& r : opened.registry->rungs)
        if (built || r.file == source)
          contestants_.push_back({&r, fs::path(r.file).filename().string()});
    if (contestants_.size() == before)
      throw Refusal(
          fmt::format("{} registers no rung; end it with WARPATH_RUNG(Args, launch);", file));
  }
}

std::vector<std::string> LearnerKernels::ops() const {
  std::vector<std::string> names;
  for (const auto& c : contestants_) add_unique(names, c.rung->op);
  std::sort(names.begin(), names.end());
  return names;
}

const PlainKernel* LearnerKernels::plain(const std::string& name) const {
  const auto found = plain_.find(name);
  return found == plain_.end() ? nullptr : &found->second;
}

void LearnerKernels::join(std::vector<OpEntry>& ops) const {
  // A case asks for every optional result; a plain kernel that has not all of them is asked for those it has.
  static std::deque<Op> kept;  // the harness keeps pointers to them
  for (const auto& [file, kernel] : plain_)
    for (OpEntry& e : ops) {
      if (e.name() != kernel.op || kernel.absent_outputs.empty()) continue;
      Op& op = kept.emplace_back(*e.op);
      for (Case& c : op.cases)
        for (const std::string& output : kernel.absent_outputs) add_unique(c.without, output);
      e.op = &op;
    }
  for (const auto& c : contestants_)
    for (OpEntry& e : ops)
      if (e.name() == c.rung->op) e.contestants.push_back(c);
}

std::string shell_word(const std::string& word) {
  const bool plain = std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return std::isalnum(c) || c > 127 || std::strchr("_-+=./,:@%", c);
  });
  if (plain) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string launch_words(const Options& o) {
  std::string words;
  for (const auto& [flag, value] : {std::pair<const char*, const std::string&>{"kernel", o.kernel},
                                    {"grid", o.grid},
                                    {"block", o.block},
                                    {"shared", o.shared}})
    if (!value.empty()) words += fmt::format(" --{} {}", flag, shell_word(value));
  return words;
}

}  // namespace warpath::cli
