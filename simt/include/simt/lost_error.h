#pragma once

// Calls whose result the program drops. Where it is compiled with --check, the translator writes
//   cudaFree(p), ::simt::Lost{"cudaFree", __builtin_FILE(), __builtin_LINE()};
// for a call that is a statement: the error, if there is one, is reported unless the program asks
// for it later (cudaGetLastError). A launch `k<<<...>>>(...)` gives no result at all.

#include <driver_types.h>

// Why this thread's last call that failed did so, in words, if that was with the error of this name;
// "" if nothing is known. For programs that report errors with more than CUDA's text.
extern "C" const char* cuda_error_reason(const char* name);

namespace simt {

// The line is told: compilers make one cold call of all that stand in a function.
void note_lost_error(const char* call, cudaError_t error, const char* file, unsigned line);
void note_lost_launch(const char* kernel, cudaError_t error);

struct Lost {
  const char* call;
  const char* file;
  unsigned line;
};
inline void operator,(cudaError_t error, const Lost& lost) {
  if (error != cudaSuccess) note_lost_error(lost.call, error, lost.file, lost.line);
}

}  // namespace simt
