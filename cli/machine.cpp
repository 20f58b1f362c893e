#include "cli/machine.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <thread>

#include "harness/process.h"

namespace fs = std::filesystem;

namespace warpath::cli {
namespace {

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

Part tool(const std::string& name, const std::vector<std::string>& command,
          const std::string& package, bool needed, const std::string& line_with = "") {
  Part p{name, false, "not found", package, needed};
  const harness::CommandResult r = harness::run_command(command);
  if (r.status != 0) return p;
  p.found = true;
  const auto at = line_with.empty() ? 0 : r.output.find(line_with);
  p.what = first_line(at == std::string::npos ? r.output : r.output.substr(at));
  return p;
}

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  return "CPU";
}

// Opened in a child: a library that crashes while it loads must not take the doctor with it.
Part library(const std::string& name, const fs::path& path) {
  Part p{name, false, "", "", false};
  int ends[2];
  if (pipe(ends) != 0) return p;
  const pid_t pid = harness::fork_child();
  if (pid == 0) {
    const harness::OpenLibrary l = harness::open_library(path);
    const std::string text =
        l.ok() ? fmt::format("+{} ops, {} rungs", l.registry->ops.size(), l.registry->rungs.size())
               : l.error;
    _exit(write(ends[1], text.data(), text.size()) < 0 ? 1 : 0);
  }
  close(ends[1]);
  char text[2048];
  const ssize_t n = read(ends[0], text, sizeof text);
  close(ends[0]);
  const int status = harness::wait_child(pid);
  p.what =
      n > 0 ? std::string(text, static_cast<std::size_t>(n)) : harness::describe_status(status);
  p.found = p.what.starts_with('+');
  if (p.found) p.what.erase(0, 1);
  return p;
}

}  // namespace

Machine look_around(const harness::Places& places) {
  Machine m;
  m.cpu_name = cpu_model();
  m.cores = std::thread::hardware_concurrency();
  m.tools = {
      tool("g++", {"g++", "--version"}, "g++", true),
      tool("clang++", {"clang++", "--version"}, "", false),
      tool("cmake", {"cmake", "--version"}, "cmake", true),
      tool("ninja", {"ninja", "--version"}, "ninja-build", true),
      tool("ccache", {"ccache", "--version"}, "", false),
      tool("gdb", {"gdb", "--version"}, "gdb", false),
      tool("nvcc", {"nvcc", "--version"}, "", false, "Cuda compilation tools"),
      tool("python3", {"python3", "--version"}, "python3", false),
  };
  const fs::path cc = places.program.parent_path() / "warpath-cc";
  m.tools.push_back(
      {"warpath cc", fs::exists(cc), fs::exists(cc) ? cc.string() : "not built", "", false});
#if !defined(__x86_64__)  // which switches stacks by itself
  const bool boost = fs::exists("/usr/include/boost/context/detail/fcontext.hpp") ||
                     fs::exists("/usr/local/include/boost/context/detail/fcontext.hpp") ||
                     fs::exists("/opt/homebrew/include/boost/context/detail/fcontext.hpp");
  m.tools.push_back(
      {"Boost.Context", boost, boost ? "found" : "not found", "libboost-context-dev", true});
#endif

  m.cpu = harness::probe_device(places.device_library("simt"));
  m.gpu = harness::probe_device(places.device_library("cuda"));
  for (const std::string backend : {"host", "simt", "cuda"})
    for (const bool wrong : {false, true})
      for (const std::string& folder : harness::built_folders(places, backend, wrong)) {
        const fs::path path = places.op_library(folder, backend, wrong);
        m.libraries.push_back(library(path.filename().string(), path));
      }
  return m;
}

std::string Machine::install_command() const {
  std::string packages;
  for (const Part& p : tools)
    if (!p.found && !p.package.empty()) packages += " " + p.package;
  return packages.empty() ? "" : "sudo apt-get install" + packages;
}

}  // namespace warpath::cli
