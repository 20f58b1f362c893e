#include "cli/timeline.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "harness/process.h"

namespace warpath::cli {
namespace {

std::string find_nsys() {
  if (const char* asked = std::getenv("NSYS"); asked && *asked) return asked;
  for (const char* place : {"nsys", "/usr/local/cuda/bin/nsys"})
    if (harness::run_command({place, "--version"}).status == 0) return place;
  return {};
}

}  // namespace

std::string keep_timeline(const std::vector<std::string>& command, const std::string& name) {
  const std::string nsys = find_nsys();
  if (nsys.empty()) return {};
  const std::string report = name + ".nsys-rep";
  std::error_code ignored;
  std::filesystem::remove(report, ignored);  // an older one would pass for this one
  std::vector<std::string> line{nsys,           "profile", "--force-overwrite=true",
                                "--trace=cuda", "-o",      name};
  line.insert(line.end(), command.begin(), command.end());
  const harness::CommandResult run = harness::run_command(line);
  if (run.status == 0 && std::filesystem::exists(report))
    return fmt::format("its launches and copies on a timeline: {} (nsys-ui opens it)", report);
  const std::string said = run.output.substr(0, run.output.find('\n'));
  return fmt::format("no timeline: {} ended with status {}{}{}", nsys, run.status,
                     said.empty() ? "" : ": ", said);
}

}  // namespace warpath::cli
