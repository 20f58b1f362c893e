#include "driver/compiler.h"

#include <cstdlib>
#include <filesystem>

#include "driver/process.h"

namespace simt::cc {
namespace {

namespace fs = std::filesystem;

// By its name if that tells, as it mostly does; c++ and, on a Mac, g++ may be either.
bool is_clang(const std::string& command) {
  const std::string name = fs::path(command).filename().string();
  if (name.find("clang") != name.npos) return true;
#ifndef __APPLE__
  if (name.find("g++") != name.npos || name.find("gcc") != name.npos) return false;
#endif
  std::string messages;
  run({command, "-v"}, &messages);
  return messages.find("clang version") != messages.npos;
}

std::string chosen_command(const Options& options) {
  if (!options.compiler.empty()) {
    // nvcc takes a folder here as well.
    return options.compiler + (fs::is_directory(options.compiler) ? "/g++" : "");
  }
  const char* given = std::getenv("CXX");
  return given != nullptr && *given != '\0' ? given : "g++";
}

}  // namespace

Compiler find_compiler(const Options& options) {
  const std::string command = chosen_command(options);
  return {command, is_clang(command)};
}

std::string with_plain_names(const std::string& preprocessed) {
  std::string result;
  result.reserve(preprocessed.size());
  std::size_t copied = 0;
  for (std::size_t at = 0; at != preprocessed.npos; at = preprocessed.find("\n# ", at)) {
    if (preprocessed[at] == '\n') ++at;
    const std::size_t name = preprocessed.find_first_not_of("# 0123456789", at);
    if (preprocessed.compare(at, 2, "# ") != 0 || name == preprocessed.npos) continue;
    if (preprocessed.compare(name, 3, "\"./") != 0) continue;
    result.append(preprocessed, copied, name + 1 - copied);
    copied = name + 3;
  }
  return result.append(preprocessed, copied);
}

}  // namespace simt::cc
