// A host program that goes on after a CUDA call has failed, and then uses the pointer it did not get.

#include "faults/host_fault.h"

#include <cuda_runtime_api.h>
#include <execinfo.h>
#include <simt/errors.h>

#include <atomic>
#include <iterator>
#include <mutex>
#include <string>

#include "api/internal.h"
#include "faults/report.h"
#include "scheduler/worker.h"

namespace simt {
namespace {

struct FailedCall {
  cudaError_t error = cudaSuccess;
  const char* name = nullptr;
  void* frames[16];
  int depth = 0;

  void note(cudaError_t code, const char* call) {
    error = code;
    name = call;
    depth = backtrace(frames, static_cast<int>(std::size(frames)));
  }
};

struct FailedCalls {
  std::mutex mutex;
  FailedCall any, allocation;
};

FailedCalls& failed_calls() {
  static auto* const it = new FailedCalls;  // the end of the program still needs it
  return *it;
}

}  // namespace

void note_failed_call(cudaError_t error, const char* allocator) {
  if (in_kernel()) return;
  FailedCalls& all = failed_calls();
  {
    const std::lock_guard lock(all.mutex);
    const bool first = all.any.error == cudaSuccess;
    if (first) all.any.note(error, allocator);
    if (allocator != nullptr && all.allocation.error == cudaSuccess)
      all.allocation.note(error, allocator);
    if (!first) return;
  }
  catch_signals();
}

void explain_host_fault(const void* instruction) {
  static std::atomic<bool> done{false};
  if (done.exchange(true)) return;
  const FailedCalls& all = failed_calls();
  const FailedCall& call = all.allocation.error != cudaSuccess ? all.allocation : all.any;
  if (call.error == cudaSuccess) return;
  const std::string here = describe_interrupted(instruction);
  const std::string there = describe_stack(call.frames, call.depth);
  const std::string name = call.name != nullptr ? call.name : "a CUDA call";
  show_report("simt: the host used an invalid address" + (here.empty() ? "" : " at " + here) +
              ": " + name + (there.empty() ? "" : " at " + there) + " had failed (" +
              cudaGetErrorName(call.error) + ")" +
              (call.name != nullptr ? ", so its pointer is not valid" : "") +
              "; look at what CUDA calls return\n");
}

}  // namespace simt
