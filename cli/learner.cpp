#include "cli/learner.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "cli/terminal.h"

namespace fs = std::filesystem;

namespace warpath::cli {
namespace {

// From Hopper on, some instructions exist only in the "a" form of an architecture.
std::string device_flag(int arch) {
  const std::string name = std::to_string(arch) + (arch >= 90 ? "a" : "");
  return fmt::format("-gencode=arch=compute_{0},code=sm_{0}", name);
}

std::vector<std::string> compile_command(const harness::Places& places, const Backend& backend,
                                         bool checked, const fs::path& file,
                                         const fs::path& library) {
  std::vector<std::string> command;
  if (backend.gpu) {
    const char* nvcc = std::getenv("NVCC");
    command = {nvcc && *nvcc ? nvcc : "nvcc", device_flag(backend.probe.info.arch),
               "--expt-relaxed-constexpr"};
  } else {
    command = {(places.program.parent_path() / "warpath-cc").string()};
    // On fibers a missing barrier shows more often than in loops over the threads.
    command.emplace_back(checked ? "--check" : "--no-split");
  }
  // Hidden, so that what the file defines does not meet the same names of the shipped library in
  // one process.
  for (const char* flag : {"-std=c++20", "-O2", "-shared", "-Xcompiler",
                           "-fPIC,-fvisibility=hidden,-fvisibility-inlines-hidden"})
    command.emplace_back(flag);
  command.push_back("-I" + places.root.string());
  for (const std::string& folder : harness::source_folders(places))
    command.push_back("-I" + (places.root / "ops" / folder).string());
  command.push_back(file.string());
  if (const fs::path archive = places.lib / "libwarpath_rung.a"; fs::exists(archive)) {
    command.push_back(archive.string());
  } else {
    command.push_back((places.root / "core" / "registry.cpp").string());
    command.push_back((places.root / "core" / "contract.cpp").string());
  }
  command.emplace_back("-o");
  command.push_back(library.string());
  return command;
}

// Opened in a child first: what runs when a library is loaded may crash too.
std::string try_opening(const fs::path& library) {
  const pid_t pid = harness::fork_child();
  if (pid == 0) {
    const bool ok = harness::open_library(library, "").ok();
    _exit(ok ? 0 : 1);
  }
  const int status = harness::wait_child(pid);
  return WIFSIGNALED(status) ? harness::describe_status(status) : "";
}

}  // namespace

bool is_kernel_file(const std::string& word) {
  return word.ends_with(".cu");
}

LearnerKernels::LearnerKernels(const harness::Places& places, const Backend& backend, bool checked,
                               const std::vector<std::string>& files) {
  Progress progress;
  for (const std::string& file : files) {
    if (!fs::exists(file)) throw Refusal(fmt::format("no file '{}'", file));
    progress.show("compiling " + file);
    const fs::path library =
        folder_.file(fmt::format("{}_{}.so", fs::path(file).stem().string(), contestants_.size()));
    const auto command = compile_command(places, backend, checked, fs::absolute(file), library);
    const harness::CommandResult result = harness::run_command(command);
    progress.clear();
    if (result.status == 127)
      throw Refusal(
          fmt::format("cannot run {}; `./warpath doctor` says what is missing", command.front()));
    if (result.status != 0)
      throw Refusal(fmt::format("{} does not compile:\n{}", file, result.output));
    if (const std::string crash = try_opening(library); !crash.empty())
      throw Refusal(fmt::format("{} {} while it was loaded", file, crash));
    const harness::OpenLibrary opened = harness::open_library(library, "");
    if (!opened.ok()) throw Refusal(fmt::format("{} does not load: {}", file, opened.error));
    if (opened.registry->rungs.empty())
      throw Refusal(
          fmt::format("{} registers no rung; end it with WARPATH_RUNG(Args, launch);", file));
    for (const Rung& r : opened.registry->rungs)
      contestants_.push_back({&r, fs::path(file).filename().string()});
  }
}

std::vector<std::string> LearnerKernels::ops() const {
  std::vector<std::string> names;
  for (const auto& c : contestants_) names.push_back(c.rung->op);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

void LearnerKernels::join(std::vector<OpEntry>& ops) const {
  for (const auto& c : contestants_)
    for (OpEntry& e : ops)
      if (e.name() == c.rung->op) e.contestants.push_back(c);
}

}  // namespace warpath::cli
