// Errors of the CUDA API that the program never looks at. A call that fails and whose result is
// dropped waits here: asking for the last error, before the program ends, shows that it looks. Those of
// the driver API and of the libraries (cuBLAS, cuRAND, cuFFT) are told by their result alone.

#include <cuda_runtime_api.h>
#include <execinfo.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "call_stack.h"
#include "findings.h"
#include "hooks.h"
#include "source_location.h"

namespace simt::check {
namespace {

struct Waiting {
  Finding finding;
  bool stays;  // cudaGetLastError tells of it
};

struct LostErrors {
  std::mutex mutex;
  std::map<std::thread::id, std::vector<Waiting>> by_thread;  // each has its own last error
};

LostErrors& lost_errors() {
  static auto* const it = new LostErrors;  // the end of the program still needs it
  return *it;
}

// Launches go through functions of simt's headers, which are code of the program's file. `skipped`
// frames of the program are not meant.
const void* calling_line(int skipped) {
  void* frames[64];
  const int count = backtrace(frames, 64);
  const void* first = nullptr;
  for (int i = 0; i < count; ++i) {
    if (is_in_runtime(frames[i])) continue;
    if (first == nullptr) first = frames[i];
    if (is_in_program(frames[i]) && skipped-- == 0) return frames[i];
  }
  return first;
}

}  // namespace

void error_lost(LostError lost) {
  if (!enabled.api) return;
  // A kernel that is called as a function tells so itself; its caller is the one to name.
  const bool called = std::strcmp(lost.code, "cudaErrorMissingConfiguration") == 0;
  const void* const caller = calling_line(called ? 1 : 0);
  const void* const pc = lost.site.file != nullptr ? pc_of(lost.site, caller) : caller;
  LostErrors& all = lost_errors();
  const std::lock_guard lock(all.mutex);
  std::vector<Waiting>& mine = all.by_thread[std::this_thread::get_id()];
  if (std::any_of(mine.begin(), mine.end(),
                  [&](const Waiting& other) { return other.finding.pc == pc; })) {
    return;
  }
  Finding f;
  f.kind = lost.call != nullptr ? FindingKind("failed call") : FindingKind("refused launch");
  f.pc = pc;
  f.what = lost.call != nullptr ? std::string(lost.call) + " fails"
                                : "kernel '" + std::string(lost.kernel) + "' cannot run";
  f.what += ": " + lost.reason + " (" + lost.code + ")";
  f.tail = lost.call == nullptr ? "cudaGetLastError is not called after the launch"
           : lost.stays         ? "the result is dropped and cudaGetLastError is not called"
                                : "the result is dropped: the program goes on as if it had worked";
  mine.push_back({std::move(f), lost.stays});
}

void error_read() {
  LostErrors& all = lost_errors();
  const std::lock_guard lock(all.mutex);
  const auto mine = all.by_thread.find(std::this_thread::get_id());
  if (mine == all.by_thread.end()) return;
  std::erase_if(mine->second, [](const Waiting& one) { return one.stays; });
}

void report_lost_errors() {
  LostErrors& all = lost_errors();
  const std::lock_guard lock(all.mutex);
  for (auto& [thread, waiting] : all.by_thread) {
    for (Waiting& one : waiting) {
      // A wrong pointer or size has a finding of its own.
      if (!is_reported_at(one.finding.pc)) add(std::move(one.finding));
    }
  }
  all.by_thread.clear();
}

}  // namespace simt::check
