// Errors of the CUDA API that the program never looks at. A call that fails and whose result is
// dropped waits here: asking for the last error, before the program ends, shows that it looks.

#include <cuda_runtime_api.h>
#include <execinfo.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "findings.h"
#include "hooks.h"
#include "source_location.h"

namespace simt::check {
namespace {

struct LostErrors {
  std::mutex mutex;
  std::map<std::thread::id, std::vector<Finding>> by_thread;  // each has its own last error
};

LostErrors& lost_errors() {
  static auto* const it = new LostErrors;  // the end of the program still needs it
  return *it;
}

// Launches go through functions of simt's headers, which are code of the program's file. `skipped`
// frames of the program are not meant.
const void* calling_line(int skipped) {
  void* frames[32];
  const int count = backtrace(frames, 32);
  const void* first = nullptr;
  for (int i = 0; i < count; ++i) {
    if (is_in_runtime(frames[i])) continue;
    if (first == nullptr) first = frames[i];
    if (!is_own_code(frames[i]) && skipped-- == 0) return frames[i];
  }
  return first;
}

}  // namespace

void error_lost(const char* call, const char* kernel, cudaError_t error, const char* reason,
                Site site) {
  if (!enabled.api) return;
  // A kernel that is called as a function tells so itself; its caller is the one to name.
  const void* const caller = calling_line(error == cudaErrorMissingConfiguration ? 1 : 0);
  const void* const pc = site.file != nullptr ? pc_of(site, caller) : caller;
  LostErrors& all = lost_errors();
  const std::lock_guard lock(all.mutex);
  std::vector<Finding>& mine = all.by_thread[std::this_thread::get_id()];
  if (std::any_of(mine.begin(), mine.end(), [&](const Finding& f) { return f.pc == pc; })) return;
  Finding f;
  f.kind = call != nullptr ? "failed call" : "refused launch";
  f.pc = pc;
  const std::string code = cudaGetErrorName(error);
  f.what = call != nullptr ? std::string(call) + " fails"
                           : "kernel '" + std::string(kernel) + "' cannot run";
  f.what +=
      *reason != '\0' ? ": " + std::string(reason) : ": " + std::string(cudaGetErrorString(error));
  f.what += " (" + code + ")";
  f.tail = call != nullptr ? "the result is dropped and cudaGetLastError is not called"
                           : "cudaGetLastError is not called after the launch";
  mine.push_back(std::move(f));
}

void error_read() {
  LostErrors& all = lost_errors();
  const std::lock_guard lock(all.mutex);
  all.by_thread.erase(std::this_thread::get_id());
}

void report_lost_errors() {
  LostErrors& all = lost_errors();
  const std::lock_guard lock(all.mutex);
  for (auto& [thread, findings] : all.by_thread) {
    for (Finding& finding : findings) {
      // A wrong pointer or size has a finding of its own.
      if (!is_reported_at(finding.pc)) add(std::move(finding));
    }
  }
  all.by_thread.clear();
}

}  // namespace simt::check
