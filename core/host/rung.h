// What a rung's file registers: plain pointers, so that it adds little to a kernel's compile time.
//
//   WARPATH_RUNG(Forward, launch);                                                 in 03_warp.cu
//   WARPATH_RUNG(Forward, launch, .supports = fits, .preferred = long_rows);
//   WARPATH_RUNG(Forward, launch, .scratch = scratch_bytes, .zeroed = flag_bytes);
//   WARPATH_PEER(Forward, "cuDNN", launch);                                        in peers_cudnn.cu
//
// A rung is named by its file: backward_03_warp.cu is rung "03_warp", wrong/tail.cu is "wrong/tail", and a file
// without a number keeps its own name.
#pragma once
#include <cstdint>
#include <string>

#include "core/host/contract.h"

// As CUDA declares it, so that host-only code needs no CUDA header.
typedef struct CUstream_st* cudaStream_t;

namespace warpath {

// Options of a rung beside its launcher; every field has a default.
template <class Args>
struct RungOptions {
  // Empty: it can take the call; otherwise why it cannot.
  std::string (*supports)(const Args&) = nullptr;
  // Empty: the best for this call, on this device, of all rungs up to this one; otherwise why a lower one should take it.
  // Asked only of calls that it supports. Correctness is checked either way.
  std::string (*preferred)(const Args&) = nullptr;
  std::int64_t (*scratch)(const Args&) = nullptr;  // bytes wanted
  // How many of them, from the first on, must be zero before the first launch; every launch leaves them zero again.
  std::int64_t (*zeroed)(const Args&) = nullptr;
  bool deterministic = true;  // same bits from run to run
  bool race = false;  // of a wrong kernel: it fails only when threads run in an unlucky order
  // Of such a race: it needs stores that become visible in another order, or another block between two statements, which a plain
  // run on a CPU need not show.
  bool weak_memory = false;
  const char* note = "";
};

namespace detail {

using AnyFunction = void (*)();

// The functions of one rung without their types, and how to call them with args whose type is not
// known.
struct RungEntry {
  const char *op, *file, *peer;  // peer: its name, null for a rung
  AnyFunction launch, supports, preferred, scratch, zeroed;
  void (*call)(AnyFunction, const void* args, cudaStream_t);
  std::string (*ask)(AnyFunction, const void* args);
  std::int64_t (*count)(AnyFunction, const void* args);
  bool deterministic, race, weak_memory;
  const char* note;
};
void add_rung(const RungEntry& entry);  // registry.cpp

template <class F>
AnyFunction erased(F* function) {
  return reinterpret_cast<AnyFunction>(function);
}

template <class Args>
void call(AnyFunction f, const void* args, cudaStream_t stream) {
  reinterpret_cast<void (*)(const Args&, cudaStream_t)>(f)(*static_cast<const Args*>(args), stream);
}
template <class Answer, class Args>
Answer ask(AnyFunction f, const void* args) {
  return reinterpret_cast<Answer (*)(const Args&)>(f)(*static_cast<const Args*>(args));
}

template <class Args>
struct RungRegistrar {
  RungRegistrar(const char* file, void (*launch)(const Args&, cudaStream_t),
                const RungOptions<Args>& o)
      : RungRegistrar(file, nullptr, launch, o) {}
  RungRegistrar(const char* file, const char* peer, void (*launch)(const Args&, cudaStream_t),
                const RungOptions<Args>& o) {
    add_rung({Args::op, file, peer, erased(launch), erased(o.supports), erased(o.preferred),
              erased(o.scratch), erased(o.zeroed), call<Args>, ask<std::string, Args>,
              ask<std::int64_t, Args>, o.deterministic, o.race, o.weak_memory, o.note});
  }
};

}  // namespace detail
}  // namespace warpath

#define WARPATH_JOIN_(a, b) a##b
#define WARPATH_JOIN(a, b) WARPATH_JOIN_(a, b)

#define WARPATH_RUNG(Args, launcher, ...)                                                    \
  static const ::warpath::detail::RungRegistrar<Args> WARPATH_JOIN(warpath_rung_, __LINE__)( \
      __FILE__, launcher, ::warpath::RungOptions<Args>{__VA_ARGS__})

#define WARPATH_PEER(Args, peer, launcher, ...)                                              \
  static const ::warpath::detail::RungRegistrar<Args> WARPATH_JOIN(warpath_rung_, __LINE__)( \
      __FILE__, peer, launcher, ::warpath::RungOptions<Args>{__VA_ARGS__})
