#pragma once

// Who called the API: inside Thrust and CUB that is the library, and a report names the program's line.

#include <string>
#include <vector>

namespace simt::check {

class CallStack {
 public:
  CallStack() = default;
  // Of code of a kernel, whose callers do not matter.
  explicit CallStack(const void* pc) : frames_{pc} {}
  // From the first caller that is no part of simt's libraries on.
  static CallStack here();
  // The same where `caller` has called the API: often it is all that is needed, for a stack takes 10 us.
  static CallStack of_call(const void* caller);

  bool known() const { return !frames_.empty(); }
  // The innermost caller in a file of the program; without one, the innermost of all. Null if nothing is known. It is
  // looked for when it is asked for: that takes a while.
  const void* in_program() const;

 private:
  std::vector<const void*> frames_;
};

// True when the code is a line of the program's own: not simt's, nor Thrust's, CUB's or libcu++'s.
bool is_in_program(const void* pc);

// What a finding in a library's kernel is said to be at: the call in the program. `pc` itself if it is the program's,
// or there is no such call.
const void* call_of(const void* pc, const CallStack& launch);

}  // namespace simt::check
