#pragma once

namespace simt {

// A GPU does not trap on an integer division by zero: all bits of the result are ones. Nor on that
// of the smallest number by -1, which gives the number back. If the instruction that trapped is
// such a division, does this and steps over it in `context` (a ucontext_t).
bool finish_division(void* context);

}  // namespace simt
