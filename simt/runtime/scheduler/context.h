#pragma once

// Switching between stacks. On x86-64 a switch is a few instructions in place: the compiler saves
// just what it needs, and the floating-point control words, which kernels leave alone, are not
// touched. A barrier of 256 threads takes 10 ns per thread, against 31 with Boost.Context, which
// serves the other machines (and this one, with -DSIMT_BOOST_CONTEXT=ON).

#include <cstddef>
#include <cstdint>

#if defined(__x86_64__) && !defined(SIMT_BOOST_CONTEXT)
#define SIMT_OWN_SWITCH 1
#else
#include <boost/context/detail/fcontext.hpp>
#endif

namespace simt {

using ContextEntry = void (*)();

#if defined(SIMT_OWN_SWITCH)

struct Context {
  void* stack;
  void* frame;
  void* code;
};

inline void make_context(Context& context, char* low, char* high, ContextEntry entry) {
  (void)low;
  // A function expects the stack as a call leaves it: a return address (none here) on a 16-byte
  // line.
  const std::uintptr_t top = (reinterpret_cast<std::uintptr_t>(high) & ~std::uintptr_t{15}) - 8;
  *reinterpret_cast<void**>(top) = nullptr;
  context = {reinterpret_cast<void*>(top), nullptr, reinterpret_cast<void*>(entry)};
}

// The top of its stack while it is not running.
inline const void* stack_of(const Context& context) {
  return context.stack;
}

// Nothing is pushed, so the red zone below the stack pointer stays whole.
inline __attribute__((always_inline)) void switch_context(Context& from, const Context& to) {
  Context* leave = &from;
  const Context* enter = &to;
  __asm__ __volatile__(
      "leaq 1f(%%rip), %%rax\n\t"
      "movq %%rsp, 0(%0)\n\t"
      "movq %%rbp, 8(%0)\n\t"
      "movq %%rax, 16(%0)\n\t"
      "movq 0(%1), %%rsp\n\t"
      "movq 8(%1), %%rbp\n\t"
      "jmpq *16(%1)\n"
      "1:\n\t"
      : "+D"(leave), "+S"(enter)
      :
      : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0",
        "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
        "xmm12", "xmm13", "xmm14", "xmm15", "memory", "cc");
}

#else

struct Context {
  boost::context::detail::fcontext_t handle;
  ContextEntry entry;
};

inline void enter_context(boost::context::detail::transfer_t from) {
  Context** contexts = static_cast<Context**>(from.data);
  contexts[0]->handle = from.fctx;
  contexts[1]->entry();
}

inline void make_context(Context& context, char* low, char* high, ContextEntry entry) {
  context.handle = boost::context::detail::make_fcontext(high, static_cast<std::size_t>(high - low),
                                                         &enter_context);
  context.entry = entry;
}

inline const void* stack_of(const Context& context) {
  return context.handle;
}

inline void switch_context(Context& from, Context& to) {
  Context* contexts[2] = {&from, &to};
  const auto arrived = boost::context::detail::jump_fcontext(to.handle, contexts);
  static_cast<Context**>(arrived.data)[0]->handle = arrived.fctx;
}

#endif

}  // namespace simt
