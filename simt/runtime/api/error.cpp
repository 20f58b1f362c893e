// Error state. Each host thread has its own last error; a kernel's fault belongs to the device.
//
// A fault is asynchronous on a GPU: the launch itself succeeds, and the code appears at the next
// call that waits for the device. From then on every call that needs the device answers it. The
// last error is still cleared by cudaGetLastError: what sticks is the device's state.

#include <simt/driver_result.h>
#include <simt/lost_error.h>

#include <atomic>
#include <cstdio>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "api/internal.h"
#include "faults/host_fault.h"
#include "scheduler/grid.h"
#include "tools/check_hooks.h"

namespace simt {
namespace {

thread_local cudaError_t last_error = cudaSuccess;
thread_local cudaError_t error_before = cudaSuccess;  // the last call that failed

// Why the last call failed, in words; stays when the program fetches the error.
struct Reason {
  cudaError_t error = cudaSuccess;
  std::string text;
};
thread_local Reason last_reason;
// The newest of any API.
thread_local std::string newest_reason;
thread_local unsigned long reason_count = 0;

std::atomic<cudaError_t> fault{cudaSuccess};
std::atomic<bool> fault_visible{false};

struct Reports {
  std::mutex mutex;
  bool kept = false;
  std::string text;
  std::set<std::string> refusals;  // that were printed
};

Reports& reports() {
  static Reports* const it = new Reports;  // the end of the program still needs it
  return *it;
}

}  // namespace

void launch_failed(cudaError_t error, const std::string& reason) {
  const cudaError_t earlier = fault.load();
  if (earlier != cudaSuccess) fault_visible = true;
  api::record(earlier != cudaSuccess ? earlier : error, earlier != cudaSuccess ? "" : reason);
}

namespace {

// After a fault every call fails, and the fault has its own report.
bool is_of_interest() {
  return check_hooks != nullptr && !in_kernel() && !is_poisoned();
}

std::string reason_of(const Lost& lost, const char* meaning) {
  const bool known = reason_count != lost.before && !newest_reason.empty();
  std::string reason = known ? newest_reason : meaning;
  constexpr std::string_view symbol = "the symbol";
  if (lost.symbol != nullptr && reason.starts_with(symbol))
    reason.replace(0, symbol.size(), "'" + std::string(lost.symbol) + "'");
  return reason;
}

}  // namespace

void give_reason(const char* words) {
  newest_reason = words;
  ++reason_count;
}

unsigned long reasons_given() {
  return reason_count;
}

void operator,(const Lost& lost, cudaError_t error) {
  if (error == cudaSuccess || error == cudaErrorNotReady || !is_of_interest()) return;
  check_hooks->error_lost({lost.call,
                           nullptr,
                           cudaGetErrorName(error),
                           reason_of(lost, cudaGetErrorString(error)),
                           {lost.file, lost.line},
                           true});
}

void note_lost_status(const Lost& lost, const char* code, const char* meaning) {
  if (!is_of_interest()) return;
  check_hooks->error_lost(
      {lost.call, nullptr, code, reason_of(lost, meaning), {lost.file, lost.line}, false});
}

void note_lost_launch(const char* kernel, cudaError_t error) {
  if (!is_of_interest()) return;
  const char* const name = cudaGetErrorName(error);
  const char* const reason = cuda_error_reason(name);
  check_hooks->error_lost(
      {nullptr, kernel, name, *reason != '\0' ? reason : cudaGetErrorString(error), {}, true});
}

void kernel_faulted(cudaError_t error, const std::string& report) {
  cudaError_t none = cudaSuccess;
  fault.compare_exchange_strong(none, error);  // the first fault is the one that counts
  if (report.empty()) return;
  show_report(report.back() == '\n' ? report : report + "\n");
}

void show_report(const std::string& text) {
  Reports& all = reports();
  const std::lock_guard lock(all.mutex);
  if (all.kept) {
    all.text += text;
  } else {
    std::fputs(text.c_str(), stderr);
  }
}

// Programs that look for a shape that is accepted try many: each is told once. A checked program is
// told by the checks, if it does not look.
void show_refusal(const std::string& text) {
  Reports& all = reports();
  {
    const std::lock_guard lock(all.mutex);
    if (!all.kept && (check_hooks != nullptr || !all.refusals.insert(text).second)) return;
  }
  show_report(text);
}

bool is_poisoned() {
  return fault.load() != cudaSuccess;
}

namespace api {

cudaError_t record(cudaError_t error, const std::string& reason) {
  if (error == cudaSuccess || error == cudaErrorNotReady) return error;
  if (last_error != error) error_before = last_error;
  last_error = error;
  last_reason = {error, reason};
  give_reason(reason.c_str());
  note_failed_call(error, nullptr);
  return error;
}

cudaError_t record_unallocated(cudaError_t error, const char* call, const std::string& reason) {
  if (error != cudaSuccess) note_failed_call(error, call);
  return record(error, reason);
}

cudaError_t device_state() {
  if (in_kernel()) {
    run_children_now();
  } else {
    note_runtime_call();
  }
  return fault_visible.load() ? fault.load() : cudaSuccess;
}

cudaError_t synchronise() {
  flush_device_printf();
  if (fault.load() != cudaSuccess) fault_visible = true;
  return device_state();
}

bool reports_are_kept() {
  Reports& all = reports();
  const std::lock_guard lock(all.mutex);
  return all.kept;
}

void forget_fault() {
  fault = cudaSuccess;
  fault_visible = false;
}

}  // namespace api
}  // namespace simt

// From now on reports are not printed but kept for simt_take_reports: for a program that shows them
// in its own way, as an exception. Both are looked up by name.
extern "C" void simt_keep_reports() {
  simt::Reports& all = simt::reports();
  const std::lock_guard lock(all.mutex);
  all.kept = true;
}

// What was kept since the last call, "" if nothing; the text lives until this thread's next call.
extern "C" const char* simt_take_reports() {
  static thread_local std::string text;
  simt::Reports& all = simt::reports();
  const std::lock_guard lock(all.mutex);
  text = std::exchange(all.text, {});
  return text.c_str();
}

extern "C" const char* cuda_error_reason(const char* name) {
  const simt::Reason& reason = simt::last_reason;
  const bool same = std::string_view(cudaGetErrorName(reason.error)) == name;
  return same ? reason.text.c_str() : "";
}

namespace simt {
// The driver API is made of the runtime API's calls and has no last error: what a call of it has left there goes.
CUresult driver(cudaError_t error) {
  if (error != cudaSuccess && error == last_error) last_error = error_before;
  const auto result = static_cast<CUresult>(error);
  // What the driver API has no code for.
  if (error == cudaErrorInvalidDeviceFunction) return CUDA_ERROR_INVALID_HANDLE;
  return name_of(result) != nullptr ? result : CUDA_ERROR_INVALID_VALUE;
}
}  // namespace simt

cudaError_t cudaGetLastError() {
  const cudaError_t error = cudaPeekAtLastError();
  simt::last_error = cudaSuccess;
  return error;
}

cudaError_t cudaPeekAtLastError() {
  if (simt::check_hooks != nullptr && !simt::in_kernel()) simt::check_hooks->error_read();
  return simt::last_error;
}

const char* cudaGetErrorName(cudaError_t error) {
  switch (static_cast<int>(error)) {
#define SIMT_CASE(name, value, text) \
  case value:                        \
    return #name;
    SIMT_CUDA_ERRORS(SIMT_CASE)
#undef SIMT_CASE
  }
  return "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error) {
  switch (static_cast<int>(error)) {
#define SIMT_CASE(name, value, text) \
  case value:                        \
    return text;
    SIMT_CUDA_ERRORS(SIMT_CASE)
#undef SIMT_CASE
  }
  return "unrecognized error code";
}
