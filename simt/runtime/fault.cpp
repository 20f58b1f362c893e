// How a kernel ends badly: its own checks, asserts and traps, and faults of the processor.

#include <dlfcn.h>
#include <simt/errors.h>
#include <simt/fault.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "block.h"
#include "divide.h"
#include "grid.h"
#include "report.h"
#include "worker.h"

namespace simt {
namespace {

constexpr std::size_t signal_stack_size = 64 * 1024;

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

const void* instruction_of(const void* context) {
#if defined(__x86_64__)
  const auto* machine = static_cast<const ucontext_t*>(context);
  return reinterpret_cast<const void*>(machine->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  const auto* machine = static_cast<const ucontext_t*>(context);
  return reinterpret_cast<const void*>(machine->uc_mcontext.pc);
#else
  (void)context;
  return nullptr;
#endif
}

// What the handler found; the text is made later, on the OS thread's own stack.
struct ProcessorFault {
  int signal;
  bool misaligned;
  const void* address;
  const void* instruction;
};

std::string text_of(const ProcessorFault& fault, const Block& block) {
  const char* address = static_cast<const char*>(fault.address);
  std::string what;
  if (fault.misaligned) {
    what = "a misaligned access of a vector type";
  } else if (fault.signal == SIGFPE) {
    what = "an integer division by zero (or of the smallest number by -1)";
  } else if (address >= block.running->stack_low - 4096 && address < block.running->stack_low) {
    what = "a stack overflow (SIMT_STACK_KB sets the size of a thread's stack)";
  } else if (reinterpret_cast<std::size_t>(address) < 4096) {
    what = "an access through a null pointer";
  } else {
    what = "an access to address " + hexadecimal(reinterpret_cast<unsigned long long>(address)) +
           ", which is no memory";
  }
  const std::string code = describe_code(fault.instruction);
  return "simt: " + what + " in " + where_text(block) + (code.empty() ? "" : "\n  at " + code) +
         "\n";
}

void on_signal(int signal, siginfo_t* info, void* context) {
  if (front == nullptr) {
    pass_on(signal, info, context);
    return;
  }
  if (signal == SIGFPE && finish_division(context)) return;
  // The signal came from this thread's own instruction, in kernel code: whatever the stack below
  // was doing is given up, so nothing here needs to be safe against interruption.
  Block& block = current_block();
  // An aligned vector instruction at an unaligned address is a general protection fault on x86, which comes without an
  // address; elsewhere it is a bus error that says so.
  const bool misaligned = (signal == SIGSEGV && info->si_code == SI_KERNEL) ||
                          (signal == SIGBUS && info->si_code == BUS_ADRALN);
  const ProcessorFault found{signal, misaligned, info->si_addr, instruction_of(context)};
  const cudaError_t error = misaligned         ? cudaErrorMisalignedAddress
                            : signal == SIGFPE ? cudaErrorLaunchFailure
                                               : cudaErrorIllegalAddress;
  block.grid->record_fault(error, text_of(found, block));
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
  stack_t old;
  if (sigaltstack(nullptr, &old) == 0 && (old.ss_flags & SS_DISABLE) == 0) return nullptr;
  void* memory =
      mmap(nullptr, signal_stack_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  stack_t mine = {};
  mine.ss_sp = memory;
  mine.ss_size = signal_stack_size;
  sigaltstack(&mine, nullptr);
  return memory;
}

void free_signal_stack(void* stack) {
  if (stack == nullptr) return;
  stack_t none = {};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
  munmap(stack, signal_stack_size);
}

std::string describe_code(const void* instruction) {
  Dl_info info;
  if (instruction == nullptr || dladdr(instruction, &info) == 0 || info.dli_fname == nullptr) {
    return "";
  }
  const auto offset = static_cast<unsigned long>(static_cast<const char*>(instruction) -
                                                 static_cast<const char*>(info.dli_fbase));
  char module[4096];
  // The program's own name may be relative to a folder that was left since.
  if (realpath(info.dli_fname, module) == nullptr) {
    const ssize_t length = readlink("/proc/self/exe", module, sizeof module - 1);
    if (length <= 0) return "";
    module[length] = '\0';
  }
  std::string quoted = "'";
  for (const char* c = module; *c != '\0'; ++c) quoted += *c == '\'' ? "'\\''" : std::string(1, *c);
  quoted += "'";
  char command[8192];
  std::snprintf(command, sizeof command, "addr2line -s -e %s 0x%lx 2>/dev/null", quoted.c_str(),
                offset);
  std::string answer;
  if (std::FILE* pipe = popen(command, "r")) {
    char line[1024];
    if (std::fgets(line, sizeof line, pipe) != nullptr) answer = line;
    pclose(pipe);
  }
  const std::size_t end = answer.find_first_of(" \n");
  if (end != std::string::npos) answer.resize(end);
  if (!answer.empty() && answer[0] != '?' && answer.find(":?") == std::string::npos &&
      answer.find(":0") != answer.size() - 2) {
    return answer;
  }
  char text[64];
  std::snprintf(text, sizeof text, "+0x%lx", offset);
  return std::string(module) + text;
}

void fault_quietly(cudaError_t error, std::string report) {
  Block& block = current_block();
  block.grid->record_fault(error, std::move(report));
  block.leave();
}

void fault(cudaError_t error, const std::string& what, Site site) {
  const Block& block = current_block();
  std::string text = "simt: " + what + "\n  in " + where_text(block);
  if (site.file != nullptr) text += ", at " + describe(site);
  fault_quietly(error, text + "\n");
}

void host_misuse(const char* what, Site site) {
  std::fprintf(stderr, "simt: %s was called from host code at %s\n", what, describe(site).c_str());
  std::abort();
}

void trap(Site site) {
  if (!in_kernel()) host_misuse("__trap", site);
  fault(cudaErrorLaunchFailure, "__trap was called", site);
}

void assert_fail(const char* expression, const char* file, unsigned line, const char* function) {
  if (!in_kernel()) {
    std::fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, expression);
    std::abort();
  }
  char text[256];
  std::snprintf(text, sizeof text, "block: [%u,%u,%u], thread: [%u,%u,%u] ", blockIdx.x, blockIdx.y,
                blockIdx.z, threadIdx.x, threadIdx.y, threadIdx.z);
  fault_quietly(cudaErrorAssert, std::string(file) + ":" + std::to_string(line) + ": " + function +
                                     ": " + text + "Assertion `" + expression + "` failed.\n");
}

}  // namespace simt
