// Always compiled with debug information: from it a debugger learns the types of the index
// variables, and its commands the layout of Grid and Block.

#include "tools/debug.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "scheduler/block.h"
#include "scheduler/grid.h"

__thread uint3 threadIdx;
__thread uint3 blockIdx;
__thread dim3 blockDim;
__thread dim3 gridDim;

namespace simt {

__thread BlockFront* front;

namespace {
bool find_debugger() {
  return std::getenv("SIMT_DEBUGGER") != nullptr;
}
}  // namespace

const bool has_debugger = find_debugger();

}  // namespace simt

// A call without an effect would be left out, and so might an unused argument.
[[gnu::noinline]] void simt_debug_grid_began(simt::Grid* grid) {
  __asm__ __volatile__("" : : "r"(grid) : "memory");
}

[[gnu::noinline]] void simt_debug_block_began(simt::Block* block) {
  __asm__ __volatile__("" : : "r"(block) : "memory");
}

[[gnu::noinline]] void simt_debug_faulted(const char* report) {
  __asm__ __volatile__("" : : "r"(report) : "memory");
}

void simt_open_debugger(int argc, char** argv) {
  const char* wish = std::getenv("SIMT_DEBUG");
  // Called while libraries are initialised: has_debugger may not be set yet.
  if (simt::find_debugger() || (wish != nullptr && std::strcmp(wish, "0") == 0)) return;
  Dl_info here;
  char program[PATH_MAX], library[PATH_MAX];
  if (dladdr(reinterpret_cast<void*>(&simt_open_debugger), &here) == 0 ||
      realpath("/proc/self/exe", program) == nullptr ||
      realpath(here.dli_fname, library) == nullptr) {
    return;
  }
  const std::string path(library);
  const std::string debugger =
      path.substr(0, path.rfind('/', path.rfind('/') - 1)) + "/bin/warpath-debug";
  std::vector<const char*> words = {debugger.c_str(), "--on-finding"};
  if (isatty(0) == 0) {
    // Nobody can type: what a person would look at first, and the status of a finding.
    for (const char* word : {"--batch", "-ex", "set confirm off", "-ex", "backtrace", "-ex",
                             "info locals", "-ex", "info cuda threads", "-ex", "quit 1"}) {
      words.push_back(word);
    }
  }
  words.insert(words.end(), {"--", program});
  words.insert(words.end(), argv + std::min(argc, 1), argv + argc);
  words.push_back(nullptr);
  execv(words[0], const_cast<char**>(words.data()));
  std::fprintf(stderr, "simt: SIMT_DEBUG: cannot run %s\n", words[0]);
}

namespace {

__attribute__((constructor)) void look_at_environment(int argc, char** argv) {
  const char* wish = std::getenv("SIMT_DEBUG");
  if (wish != nullptr && *wish != '\0') simt_open_debugger(argc, argv);
}

}  // namespace
