// warpath cc: the CUDA compiler for this CPU. All that follows is its own.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "cli/options.h"
#include "harness/library.h"

namespace warpath::cli {
namespace {

[[noreturn]] void become_compiler(const std::vector<std::string>& words) {
  const auto compiler = harness::find_places().program.parent_path() / "warpath-cc";
  if (!std::filesystem::exists(compiler))
    throw Refusal(
        "warpath-cc is not built; `./warpath cc --help` builds it, `./warpath doctor` says what is "
        "missing");
  std::vector<char*> argv{const_cast<char*>(compiler.c_str())};
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  execv(argv[0], argv.data());
  throw Refusal(fmt::format("cannot run {}: {}", compiler.string(), std::strerror(errno)));
}

}  // namespace

void run_compiler(int argc, char** argv) {
  become_compiler(std::vector<std::string>(argv, argv + argc));
}

void add_cc(Registry& r) {
  CLI::App* c = r.app.add_subcommand(
      "cc", "the CUDA compiler for this CPU, used as nvcc is (warpath cc --help)");
  c->prefix_command();
  c->callback([c] { become_compiler(c->remaining()); });
}

}  // namespace warpath::cli
