// From machine instructions to source lines.

#include <dlfcn.h>
#include <execinfo.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "faults/report.h"

namespace simt {
namespace {

struct Module {
  std::string path;
  unsigned long offset = 0;
};

Module module_of(const void* instruction) {
  Dl_info info;
  if (instruction == nullptr || dladdr(instruction, &info) == 0 || info.dli_fname == nullptr) {
    return {};
  }
  char path[PATH_MAX];
  // The program's own name may be relative to a folder that was left since.
  if (realpath(info.dli_fname, path) == nullptr) {
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0) return {};
    path[length] = '\0';
  }
  return {path, static_cast<unsigned long>(static_cast<const char*>(instruction) -
                                           static_cast<const char*>(info.dli_fbase))};
}

struct Line {
  std::string text;     // "file:line"
  bool own = false;     // of simt or a library of the system
  bool source = false;  // no header
};

bool is_source(const std::string& path) {
  constexpr std::array ends = {".cu", ".cpp", ".cc", ".cxx", ".c"};
  return std::any_of(ends.begin(), ends.end(),
                     [&](const char* end) { return path.ends_with(end); });
}

bool is_own(const std::string& module, const std::string& path) {
  return module.rfind("/lib", 0) == 0 || module.rfind("/usr/lib", 0) == 0 ||
         path.find("/simt/include/") != std::string::npos ||
         path.find("/include/simt-cuda/") != std::string::npos ||
         path.find("/include/c++/") != std::string::npos;
}

// The innermost line of the program's own files among those inlined here, else the innermost.
Line line_of(const Module& module) {
  std::string quoted = "'";
  for (const char c : module.path) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  char command[2 * PATH_MAX];
  std::snprintf(command, sizeof command, "addr2line -i -e %s' 0x%lx 2>/dev/null", quoted.c_str(),
                module.offset);
  Line found;
  std::FILE* pipe = popen(command, "r");
  if (pipe == nullptr) return found;
  char text[PATH_MAX + 64];
  while (std::fgets(text, sizeof text, pipe) != nullptr) {
    std::string line = text;
    // A note on the discriminator may follow.
    line.resize(std::min({line.size(), line.find('\n'), line.find(" (")}));
    const std::size_t colon = line.rfind(':');
    if (colon == std::string::npos || line[0] == '?' || line[colon + 1] == '?' ||
        line.substr(colon) == ":0") {
      continue;
    }
    const bool own = is_own(module.path, line);
    const std::string name = line.substr(line.rfind('/', colon) + 1);
    const bool source = is_source(line.substr(0, colon));
    if (found.text.empty() || (found.own && !own)) {
      found = {name, own, source};
    } else if (!own && !found.own && !found.source && source) {
      // Whoever called a header's function looks for the call.
      found = {name + " (inside " + found.text + ")", own, source};
    }
  }
  pclose(pipe);
  return found;
}

}  // namespace

const void* instruction_of(const void* context) {
#if defined(__x86_64__)
  const auto* machine = static_cast<const ucontext_t*>(context);
  return reinterpret_cast<const void*>(machine->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  const auto* machine = static_cast<const ucontext_t*>(context);
  return reinterpret_cast<const void*>(machine->uc_mcontext.pc);
#else
  (void)context;
  return nullptr;
#endif
}

std::string describe_stack(void* const* frames, int depth) {
  for (int i = 0; i < depth; ++i) {
    const Module module = module_of(static_cast<const char*>(frames[i]) - 1);
    if (module.path.find("/libsimt") != std::string::npos) continue;
    const Line line = line_of(module);
    if (!line.text.empty() && !line.own) return line.text;
  }
  return "";
}

std::string describe_interrupted(const void* instruction) {
  const Module module = module_of(instruction);
  const Line here = line_of(module);
  if (!here.text.empty() && !here.own) return here.text;
  // Code of simt's headers or of a library says nothing: its caller's line does.
  std::array<void*, 48> stack;
  const int depth = backtrace(stack.data(), static_cast<int>(stack.size()));
  int at = 0;
  while (at < depth && stack[static_cast<std::size_t>(at)] != instruction) ++at;
  for (++at; at < depth; ++at) {
    const char* call = static_cast<const char*>(stack[static_cast<std::size_t>(at)]) - 1;
    const Line line = line_of(module_of(call));
    if (!line.text.empty() && !line.own) return line.text;
  }
  if (module.path.empty() || here.own) return "";
  char offset[32];
  std::snprintf(offset, sizeof offset, "+0x%lx", module.offset);
  return module.path + offset;
}

}  // namespace simt
