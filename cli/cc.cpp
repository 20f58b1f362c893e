// warpath cc, debug, image: the CUDA compiler for this CPU, gdb for the programs it builds, the image ops on a picture.
// All arguments after the first word are passed on to them; a rung is compiled first.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "cli/debug.h"
#include "cli/options.h"
#include "harness/library.h"

namespace warpath::cli {
namespace {

[[noreturn]] void become(const std::string& command, const std::vector<std::string>& words) {
  const auto tool = harness::find_places().program.parent_path() / ("warpath-" + command);
  if (!std::filesystem::exists(tool))
    throw Refusal(
        fmt::format("warpath-{0} is not built; `./warpath {0} --help` builds it, `./warpath "
                    "doctor` says what is missing",
                    command));
  std::vector<char*> argv{const_cast<char*>(tool.c_str())};
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  execv(argv[0], argv.data());
  throw Refusal(fmt::format("cannot run {}: {}", tool.string(), std::strerror(errno)));
}

}  // namespace

void run_tool(int argc, char** argv) {
  const std::string command = argc > 0 ? argv[0] : "";
  if (command != "cc" && command != "debug" && command != "image") return;
  const std::vector<std::string> words(argv + 1, argv + argc);
  become(command, command == "debug" && opens_rung(words) ? rung_in_gdb(words) : words);
}

}  // namespace warpath::cli
