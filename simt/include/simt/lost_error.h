#pragma once

// Calls whose result the program drops. Where it is compiled with --check, the translator writes
//   ::simt::Lost{"cudaFree", __builtin_FILE(), __builtin_LINE()}, cudaFree(p);
// for a call that is a statement: the error, if there is one, is reported unless the program asks
// for it later (cudaGetLastError). The driver API and the libraries have no last error; their headers
// declare the operator for their results. A launch `k<<<...>>>(...)` gives no result at all.

#include <driver_types.h>

// Why this thread's last call that failed did so, in words, if that was with the error of this name;
// "" if nothing is known. For programs that report errors with more than CUDA's text.
extern "C" const char* cuda_error_reason(const char* name);

namespace simt {

// In words, why a call of this thread fails that is none of the runtime API; and how often it or the
// runtime API has given a reason.
void give_reason(const char* words);
unsigned long reasons_given();

struct Lost {
  const char* call;
  // Told, because compilers make one cold call of all that stand in a function.
  const char* file;
  unsigned line;
  const char* symbol = nullptr;  // what the program writes for a device variable
  unsigned long before = reasons_given();
};
void operator,(const Lost& lost, cudaError_t error);
// A result of another API: its name, and what that means in general.
void note_lost_status(const Lost& lost, const char* code, const char* meaning);
void note_lost_launch(const char* kernel, cudaError_t error);

}  // namespace simt
