#include "call_stack.h"

#include <execinfo.h>
#include <simt/self.h>

#include <mutex>
#include <unordered_map>

#include "findings.h"
#include "source_location.h"

namespace simt::check {

CallStack CallStack::here() {
  void* frames[64];
  const int count = backtrace(frames, 64);
  int first = 0;
  while (first < count && is_in_runtime(frames[first])) ++first;
  CallStack stack;
  stack.frames_.assign(frames + first, frames + count);
  return stack;
}

namespace {

// Whether this place calls often and is a line of the program: that takes a while to find out.
bool is_known_line(const void* pc) {
  constexpr unsigned often = 100;
  static std::mutex mutex;
  static auto* const calls = new std::unordered_map<const void*, unsigned>;
  {
    const std::lock_guard lock(mutex);
    if (++(*calls)[pc] < often) return false;
  }
  return is_in_program(pc);
}

}  // namespace

CallStack CallStack::of_call(const void* caller) {
  if (is_in_runtime(caller)) return here();
  return front != nullptr || is_known_line(caller) ? CallStack(caller) : here();
}

const void* CallStack::in_program() const {
  for (const void* const pc : frames_) {
    if (is_in_program(pc)) return pc;
  }
  return known() ? frames_.front() : nullptr;
}

bool is_in_program(const void* pc) {
  const SourceLocation& at = location_of(pc);
  return at.known() && !at.own && !at.library;
}

const void* call_of(const void* pc, const CallStack& launch) {
  if (pc == nullptr || is_in_program(pc)) return pc;
  const void* const call = launch.in_program();
  if (!is_in_program(call)) return pc;
  SourceLocation location = location_of(call);
  const SourceLocation& inside = location_of(pc);
  if (inside.library && !inside.own) {
    location.inside_file = inside.file;
    location.inside_line = inside.line;
  }
  return pc_of(location);
}

}  // namespace simt::check
