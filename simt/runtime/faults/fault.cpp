// How a kernel ends badly: its own checks, asserts and traps, and faults of the processor.

#include <simt/aligned.h>
#include <simt/errors.h>
#include <simt/fault.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "faults/divide.h"
#include "faults/host_fault.h"
#include "faults/report.h"
#include "faults/timeout.h"
#include "scheduler/block.h"
#include "scheduler/grid.h"
#include "scheduler/worker.h"

namespace simt {
namespace {

constexpr std::size_t signal_stack_size = 64 * 1024;
constexpr std::size_t signal_stack_page = 4096;  // in front of it, with what was there before

std::string where_text(const Block& block) {
  return "kernel '" + std::string(name_of(*block.grid)) + "', block " + describe(blockIdx) +
         ", thread " + describe(threadIdx);
}

struct OldHandlers {
  struct sigaction segv, bus, fpe;

  const struct sigaction& of(int signal) const {
    return signal == SIGSEGV ? segv : signal == SIGBUS ? bus : fpe;
  }
};
OldHandlers old_handlers;

void pass_on(int signal, siginfo_t* info, void* context) {
  const struct sigaction& old = old_handlers.of(signal);
  if ((old.sa_flags & SA_SIGINFO) != 0) {
    old.sa_sigaction(signal, info, context);
  } else if (old.sa_handler != SIG_DFL && old.sa_handler != SIG_IGN) {
    old.sa_handler(signal);
  } else {
    // Back to the default: the instruction runs again and the process ends as it would have.
    sigaction(signal, &old, nullptr);
  }
}

// What the handler found; the text is made later, on the OS thread's own stack.
struct ProcessorFault {
  int signal;
  bool misaligned;
  bool has_address;
  const void* address;
  const void* instruction;
};
__thread ProcessorFault first_fault;  // this OS thread's last
__thread bool describing;             // its text is being made

#if defined(__x86_64__)
// Whether the instruction is one of those that want 16 bytes on a 16-byte line: packed moves and
// packed arithmetic, with or without VEX.
bool wants_alignment(const unsigned char* code) {
  bool scalar = false;
  for (; *code == 0x66 || *code == 0xf2 || *code == 0xf3; ++code) scalar |= *code != 0x66;
  if (*code == 0xc5 || *code == 0xc4) {
    const unsigned char last = code[*code == 0xc5 ? 1 : 2];
    scalar = (last & 3) >= 2;
    code += *code == 0xc5 ? 2 : 3;
  } else {
    if ((*code & 0xf0) == 0x40) ++code;
    if (*code++ != 0x0f) return false;
  }
  if (scalar) return false;
  return *code == 0x28 || *code == 0x29 || *code == 0x2b || *code == 0x6f || *code == 0x7f ||
         *code == 0xe7 || (*code >= 0x51 && *code <= 0x5f);
}
#endif

// An aligned vector instruction at an unaligned address is a general protection fault on x86, which
// comes without an address; so is an access to an address that the processor does not have at all.
// Elsewhere it is a bus error that says so.
bool is_misaligned(int signal, const siginfo_t* info, const void* instruction) {
  if (signal == SIGBUS && info->si_code == BUS_ADRALN) return true;
#if defined(__x86_64__)
  return signal == SIGSEGV && info->si_code == SI_KERNEL &&
         wants_alignment(static_cast<const unsigned char*>(instruction));
#else
  (void)instruction;
  return false;
#endif
}

std::string text_of(const ProcessorFault& fault, const Block& block) {
  const char* address = static_cast<const char*>(fault.address);
  std::string what;
  if (fault.misaligned) {
    what = "a misaligned access of a vector type";
  } else if (fault.signal == SIGFPE) {
    what = "an integer division by zero (or of the smallest number by -1)";
  } else if (address >= block.running->stack_low - 4096 && address < block.running->stack_low) {
    what = "a stack overflow (SIMT_STACK_KB sets the size of a thread's stack)";
  } else if (!fault.has_address) {
    what = "an access to an address that no memory can have";
  } else if (reinterpret_cast<std::size_t>(address) < 4096) {
    what = "an access through a null pointer";
  } else {
    what = "an access to address " + hexadecimal(reinterpret_cast<unsigned long long>(address)) +
           ", which is no memory,";
  }
  // A kernel that wrote over its own stack has nothing there to be read: the second time the place
  // stays unknown.
  std::string code;
  if (!describing) {
    describing = true;
    code = describe_interrupted(fault.instruction);
    describing = false;
  }
  return "simt: " + what + " in " + where_text(block) + (code.empty() ? "" : "\n  at " + code) +
         "\n";
}

void on_signal(int signal, siginfo_t* info, void* context) {
  if (front == nullptr) {
    if (signal != SIGFPE) explain_host_fault(instruction_of(context));
    pass_on(signal, info, context);
    return;
  }
  give_up_note();
  if (signal == SIGFPE && finish_division(context)) return;
  // The signal came from this thread's own instruction, in kernel code: whatever the stack below
  // was doing is given up, so nothing here needs to be safe against interruption.
  Block& block = current_block();
  if (!describing) {
    const void* instruction = instruction_of(context);
    first_fault = {signal, is_misaligned(signal, info, instruction),
                   signal != SIGSEGV || info->si_code != SI_KERNEL, info->si_addr, instruction};
  }
  const ProcessorFault found = first_fault;
  const cudaError_t error = found.misaligned         ? cudaErrorMisalignedAddress
                            : found.signal == SIGFPE ? cudaErrorLaunchFailure
                                                     : cudaErrorIllegalAddress;
  std::string text = text_of(found, block);
  describing = false;
  block.grid->record_fault(error, std::move(text));
  block.leave();
}

}  // namespace

void catch_signals() {
  static const bool done = [] {
    struct sigaction action = {};
    action.sa_sigaction = &on_signal;
    // The handler leaves by a jump: without SA_NODEFER the signal would stay blocked.
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &old_handlers.segv);
    sigaction(SIGBUS, &action, &old_handlers.bus);
    sigaction(SIGFPE, &action, &old_handlers.fpe);
    return true;
  }();
  (void)done;
}

void* give_signal_stack() {
  // A program's own may be too small for our handler, which makes texts: Python's has 16 KiB.
  stack_t old;
  if (sigaltstack(nullptr, &old) != 0) return nullptr;
  const bool enough = (old.ss_flags & SS_DISABLE) == 0 && old.ss_size >= signal_stack_size;
  if (enough || (old.ss_flags & SS_ONSTACK) != 0) return nullptr;
  void* memory = mmap(nullptr, signal_stack_page + signal_stack_size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  std::memcpy(memory, &old, sizeof old);  // to be put back
  stack_t mine = {};
  mine.ss_sp = static_cast<char*>(memory) + signal_stack_page;
  mine.ss_size = signal_stack_size;
  sigaltstack(&mine, nullptr);
  return memory;
}

void free_signal_stack(void* stack) {
  if (stack == nullptr) return;
  stack_t old;
  std::memcpy(&old, stack, sizeof old);
  sigaltstack(&old, nullptr);
  munmap(stack, signal_stack_page + signal_stack_size);
}

void fault_quietly(cudaError_t error, std::string report) {
  Block& block = current_block();
  block.grid->record_fault(error, std::move(report));
  block.leave();
}

void fault(cudaError_t error, const std::string& what, Site site) {
  if (!in_kernel()) {  // a barrier or a pipeline in host code
    std::fprintf(stderr, "simt: %s\n  in host code, at %s\n", what.c_str(), describe(site).c_str());
    std::abort();
  }
  const Block& block = current_block();
  std::string text = "simt: " + what + "\n  in " + where_text(block);
  if (site.file != nullptr) text += ", at " + describe(site);
  fault_quietly(error, text + "\n");
}

namespace {

void end_misaligned(std::uintptr_t address, std::size_t alignment, const void* call) {
  const std::string code = describe_interrupted(static_cast<const char*>(call) - 1);
  fault_quietly(cudaErrorMisalignedAddress,
                "simt: a misaligned access in " + where_text(current_block()) + ": address " +
                    hexadecimal(address) + " is no multiple of " + std::to_string(alignment) +
                    (code.empty() ? "" : "\n  at " + code) + "\n");
}

}  // namespace

void misaligned_access(const volatile void* address, std::size_t alignment) {
  if (!in_kernel()) return;
  end_misaligned(reinterpret_cast<std::uintptr_t>(address), alignment, __builtin_return_address(0));
}

void host_misuse(const char* what, Site site) {
  std::fprintf(stderr, "simt: %s was called from host code at %s\n", what, describe(site).c_str());
  std::abort();
}

void trap(Site site) {
  if (!in_kernel()) host_misuse("__trap", site);
  fault(cudaErrorLaunchFailure, "__trap was called", site);
}

// clang puts a space before the star of a pointer.
static std::string as_gcc_spells(const char* function) {
  std::string text;
  for (const char* c = function; *c != '\0'; ++c) {
    const bool extra = *c == ' ' && (c[1] == '*' || c[1] == '&');
    if (!extra) text += *c;
  }
  return text;
}

void assert_fail(const char* expression, const char* file, unsigned line, const char* function) {
  if (!in_kernel()) {
    std::fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, expression);
    std::abort();
  }
  char text[256];
  std::snprintf(text, sizeof text, "block: [%u,%u,%u], thread: [%u,%u,%u] ", blockIdx.x, blockIdx.y,
                blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z);
  fault_quietly(cudaErrorAssert, std::string(file) + ":" + std::to_string(line) + ": " +
                                     as_gcc_spells(function) + ": " + text + "Assertion `" +
                                     expression + "` failed.\n");
}

}  // namespace simt

// The callback of -fsanitize=alignment, with which programs are compiled; --check has its own.
struct UbsanTypeMismatch {
  struct {
    const char* file;
    unsigned line, column;
  } location;
  const void* type;
  unsigned char log_alignment;
  unsigned char kind;  // 0: a load, 1: a store, else no access yet
};

extern "C" void __ubsan_handle_type_mismatch_v1(const UbsanTypeMismatch* data,
                                                std::uintptr_t address) {
  const std::size_t alignment = std::size_t{1} << data->log_alignment;
  if (data->kind > 1 || (address & (alignment - 1)) == 0 || !simt::in_kernel()) return;
  simt::end_misaligned(address, alignment, __builtin_return_address(0));
}
