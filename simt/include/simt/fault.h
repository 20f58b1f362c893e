#pragma once

// Ways for a kernel to end badly, and device-side printf.

#include <driver_types.h>
#include <simt/self.h>

#include <string>

namespace simt {

// Ends the running grid with this error; `what` explains it. Called from a running thread.
[[noreturn]] void fault(cudaError_t error, const std::string& what, Site site = {nullptr, 0});

// The translator redirects device code's assert here. In host code it is the ordinary one.
[[noreturn]] void assert_fail(const char* expression, const char* file, unsigned line,
                              const char* function);

[[noreturn]] void trap(Site site);

// Device printf: the text is kept for each block and comes out in block order.
int device_printf(const char* format, ...) __attribute__((format(printf, 1, 2)));
// The same with the line it stands in: the lanes of a warp print line by line.
struct PrintfAt {
  int line;
  int operator()(const char* format, ...) const __attribute__((format(printf, 2, 3)));
};

}  // namespace simt

[[noreturn]] inline void __trap(const char* file = __builtin_FILE(),
                                unsigned line = __builtin_LINE()) {
  simt::trap({file, line});
}
