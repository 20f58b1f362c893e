#include "cli/xray_registers.h"

#include <cxxabi.h>

#include <cstdlib>
#include <regex>
#include <sstream>

#include "harness/process.h"

namespace warpath::cli {
namespace {

// "void warpath::transpose::(anonymous namespace)::naive<float>(float const*, …)" -> "naive"
std::string bare_name(const std::string& mangled) {
  int status = 0;
  char* const text = abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status);
  std::string name = status == 0 && text != nullptr ? text : mangled;
  std::free(text);
  static const std::regex anonymous(R"(\(anonymous namespace\)::|_GLOBAL__N__\w+::)");
  name = std::regex_replace(name, anonymous, "");
  name = name.substr(0, name.find_first_of("<("));
  if (const auto space = name.rfind(' '); space != name.npos) name = name.substr(space + 1);
  return name.substr(name.rfind(':') + 1);
}

}  // namespace

std::map<std::string, PtxasFacts> registers_of(const harness::Places& places,
                                               const std::filesystem::path& file) {
  const char* const asked = std::getenv("NVCC");
  const harness::CommandResult result = harness::run_command(
      {asked && *asked ? asked : "nvcc", "-gencode=arch=compute_90a,code=sm_90a", "-std=c++20",
       "--expt-relaxed-constexpr", "-I" + places.root.string(), "-Xptxas", "-v", "-cubin", "-o",
       "/dev/null", file.string()});
  std::map<std::string, PtxasFacts> found;
  if (result.status != 0) return found;
  static const std::regex entry(R"(Compiling entry function '([^']+)')"),
      used(R"(Used (\d+) registers)"),
      frame(R"((\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads)");
  std::istringstream lines(result.output);
  std::string kernel;
  const auto keep = [](int& most, const std::string& n) { most = std::max(most, std::stoi(n)); };
  for (std::string line; std::getline(lines, line);) {
    std::smatch m;
    if (std::regex_search(line, m, entry)) kernel = bare_name(m[1]);
    if (kernel.empty()) continue;
    PtxasFacts& facts = found[kernel];
    if (std::regex_search(line, m, used)) keep(facts.registers, m[1]);
    if (std::regex_search(line, m, frame)) {
      keep(facts.stack, m[1]);
      keep(facts.spill_stores, m[2]);
      keep(facts.spill_loads, m[3]);
    }
  }
  return found;
}

}  // namespace warpath::cli
