#include "cli/xray_registers.h"

#include <cxxabi.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <sstream>
#include <string_view>

#include "harness/process.h"

namespace warpath::cli {
namespace {

// "void warpath::transpose::(anonymous namespace)::naive<float>(float const*, …)" -> "naive"
std::string function_name(const std::string& mangled) {
  int status = 0;
  char* const text = abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status);
  std::string name = status == 0 && text != nullptr ? text : mangled;
  std::free(text);
  constexpr std::string_view anonymous = "(anonymous namespace)::";
  for (std::size_t at; (at = name.find(anonymous)) != name.npos;) name.erase(at, anonymous.size());
  name = name.substr(0, name.find_first_of("<("));
  if (const auto space = name.rfind(' '); space != name.npos) name = name.substr(space + 1);
  return name.substr(name.rfind(':') + 1);
}

// Raises `most` to the number that stands before `words` in the line, if it is there.
void keep_number_before(std::string_view words, const std::string& line, int& most) {
  const std::size_t end = line.find(words);
  if (end == line.npos) return;
  std::size_t begin = end;
  while (begin > 0 && std::isdigit(static_cast<unsigned char>(line[begin - 1]))) --begin;
  if (begin < end) most = std::max(most, std::stoi(line.substr(begin, end - begin)));
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
  constexpr std::string_view entry = "Compiling entry function '";
  std::istringstream lines(result.output);
  std::string kernel;
  for (std::string line; std::getline(lines, line);) {
    if (const std::size_t at = line.find(entry); at != line.npos) {
      const std::size_t begin = at + entry.size();
      kernel = function_name(line.substr(begin, line.find('\'', begin) - begin));
    }
    if (kernel.empty()) continue;
    PtxasFacts& facts = found[kernel];
    keep_number_before(" registers", line, facts.registers);
    keep_number_before(" bytes stack frame", line, facts.stack);
    keep_number_before(" bytes spill stores", line, facts.spill_stores);
    keep_number_before(" bytes spill loads", line, facts.spill_loads);
  }
  return found;
}

PtxasFacts facts_of(const std::map<std::string, PtxasFacts>& kernels, const std::string& kernel) {
  const auto found = kernels.find(kernel.substr(0, kernel.find('<')));
  return found != kernels.end() ? found->second : PtxasFacts{};
}

}  // namespace warpath::cli
