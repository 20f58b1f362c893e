// For a program that has checked libraries and plain ones side by side: kernels of a plain library
// do not report their accesses, but the runtime reports the asynchronous copies it makes for them,
// and memory that the checks do not know would count as a finding. The functions are looked up by
// name.
#include <atomic>
#include <mutex>

#include "tools/check_hooks.h"

namespace {

std::mutex one_of_both;                             // plain work, or checked work
std::atomic<const simt::CheckHooks*> taken_away{};  // not null: there are checks in this process

}  // namespace

extern "C" {

// Until simt_resume_checks by this thread nothing is checked, and simt_hold_checks waits. No work
// may be left running. False where there are no checks: then nothing is to be resumed.
bool simt_pause_checks() {
  if (simt::check_hooks == nullptr && taken_away == nullptr) return false;
  one_of_both.lock();
  taken_away = simt::check_hooks;
  simt::check_hooks = nullptr;
  return true;
}

void simt_resume_checks() {
  simt::check_hooks = taken_away;
  one_of_both.unlock();
}

// Around launches that are to be checked, up to the end of their work: nobody pauses the checks
// meanwhile.
void simt_hold_checks() {
  one_of_both.lock();
}

void simt_release_checks() {
  one_of_both.unlock();
}

}  // extern "C"
