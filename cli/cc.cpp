// Commands that are programs of their own: cc, the CUDA compiler for this CPU; debug, gdb for the programs it builds (a
// rung is compiled first); image, the image ops on a picture; train and generate, which need the models.
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

[[noreturn]] void become(const std::string& program, const std::string& command,
                         const std::vector<std::string>& words) {
  const auto tool = harness::find_places().program.parent_path() / program;
  if (!std::filesystem::exists(tool))
    throw Refusal(fmt::format(
        "{} is not built; `./warpath {} --help` builds it, `./warpath doctor` says what is missing",
        program, command));
  std::vector<char*> argv{const_cast<char*>(tool.c_str())};
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  execv(argv[0], argv.data());
  throw Refusal(fmt::format("cannot run {}: {}", tool.string(), std::strerror(errno)));
}

}  // namespace

void run_tool(int argc, char** argv) {
  const std::string command = argc > 0 ? argv[0] : "";
  const std::vector<std::string> all(argv, argv + argc), words(argv + (argc > 0), argv + argc);
  if (command == "train" || command == "generate") become("warpath-models", command, all);
  if (command == "cc" || command == "image") become("warpath-" + command, command, words);
  if (command == "debug")
    become("warpath-debug", command, opens_rung(words) ? rung_in_gdb(words) : words);
}

}  // namespace warpath::cli
