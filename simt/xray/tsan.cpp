// The callbacks that -fsanitize=thread puts before every access, in place of libtsan's.

#include <simt/array_shape.h>
#include <simt/self.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "scheduler/shared_arena.h"
#include "watched.h"

namespace simt::xray {
namespace {

struct Variable {
  std::uint64_t base, end;
};
// Made when modules are loaded, before their kernels run.
std::vector<Variable>& variables() {
  static auto* const all = new std::vector<Variable>;
  return *all;
}
std::uint64_t variables_begin = ~std::uint64_t{0}, variables_end = 0;

bool is_variable(std::uint64_t address) {
  if (address < variables_begin || address >= variables_end) return false;
  for (const Variable& v : variables())
    if (address >= v.base && address < v.end) return true;
  return false;
}

[[gnu::noinline]] void elsewhere(Block& block, BlockState& state, std::uint64_t address,
                                 unsigned size, Kind kind, const void* pc) {
  if (is_variable(address))
    return note(block, state, Event::of(pc, address, size, kind, Space::variable));
  const void* const pointer = reinterpret_cast<const void*>(address);
  const Fiber& fiber = *block.running;
  if (pointer >= fiber.stack_low && pointer < fiber.stack_high) return;  // a local variable
  if (block.cluster == nullptr || address - state.arguments < state.arguments_size) return;
  if (block.shared_owner(pointer) != nullptr)
    note(block, state, Event::of(pc, address, size, kind, Space::cluster));
}

std::uint64_t heap_begin = 0, heap_size = 0;

[[gnu::always_inline]] inline void one(const volatile void* p, unsigned size, Kind kind,
                                       const void* pc) {
  if (front == nullptr) return;
  Block& block = current_block();
  BlockState& state = state_of(block);
  if (!state.counting || block.unwatched) return;
  const auto address = reinterpret_cast<std::uint64_t>(p);
  const std::uint64_t in_shared = address - reinterpret_cast<std::uint64_t>(block.static_shared);
  if (in_shared < arena_room)
    return note(block, state, Event::of(pc, in_shared, size, kind, Space::shared));
  if (__builtin_expect(heap_size == 0, 0)) {
    const auto [begin, end] = heap_bounds();
    heap_begin = begin;
    heap_size = end - begin;
  }
  if (address - heap_begin < heap_size)
    return note(block, state, Event::of(pc, address, size, kind, Space::global));
  elsewhere(block, state, address, size, kind, pc);
}

enum class Atomic : unsigned char { read, swap, other };

// A read and the compare-and-swaps of the same word that follow it, until one succeeds, are one atomic operation
// (simt/atomic.h): how often it fails depends on the OS threads.
void atomic(const volatile void* p, unsigned size, Atomic how, const void* pc) {
  if (front == nullptr) return;
  Block& block = current_block();
  BlockState& state = state_of(block);
  if (!state.counting || block.unwatched) return;
  const unsigned id = rank_of_running(block);
  std::uint64_t& last_read = state.warp(id / 32).last_read[id % 32];
  const auto address = reinterpret_cast<std::uint64_t>(p);
  if (how == Atomic::swap && last_read == address) return;
  last_read = how == Atomic::read ? address : 0;
  one(p, size, Kind::atomic, pc);
}

}  // namespace

[[gnu::always_inline]] inline void begin_code(const void* pc) {
  if (front == nullptr) return;
  Block& block = current_block();
  BlockState& state = state_of(block);
  if (state.counting && !block.unwatched)
    note(block, state, Event::of(pc, 0, 0, Kind::code, Space::local));
}

void watch(const volatile void* at, std::size_t size, Kind kind, const void* pc) {
  auto address = reinterpret_cast<std::uint64_t>(at);
  while (size != 0) {
    unsigned part = 16;
    while (part > size || address % part != 0) part /= 2;
    one(reinterpret_cast<const void*>(address), part, kind, pc);
    address += part;
    size -= part;
  }
}

}  // namespace simt::xray

using simt::xray::Atomic;
using simt::xray::Kind;

#define HERE __builtin_return_address(0)

extern "C" {

// -fsanitize-coverage=trace-pc: at the beginning of each basic block.
void __sanitizer_cov_trace_pc() {
  simt::xray::begin_code(HERE);
}

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}

#define SIMT_ONE(NAME, SIZE, KIND)              \
  void NAME(void* p) {                          \
    simt::xray::one(p, SIZE, Kind::KIND, HERE); \
  }
#define SIMT_ACCESS(SIZE)                                    \
  SIMT_ONE(__tsan_read##SIZE, SIZE, load)                    \
  SIMT_ONE(__tsan_write##SIZE, SIZE, store)                  \
  SIMT_ONE(__tsan_volatile_read##SIZE, SIZE, load)           \
  SIMT_ONE(__tsan_volatile_write##SIZE, SIZE, store)         \
  SIMT_ONE(__tsan_unaligned_read##SIZE, SIZE, load)          \
  SIMT_ONE(__tsan_unaligned_write##SIZE, SIZE, store)        \
  SIMT_ONE(__tsan_unaligned_volatile_read##SIZE, SIZE, load) \
  SIMT_ONE(__tsan_unaligned_volatile_write##SIZE, SIZE, store)
SIMT_ACCESS(1)
SIMT_ACCESS(2)
SIMT_ACCESS(4)
SIMT_ACCESS(8)
SIMT_ACCESS(16)
#undef SIMT_ACCESS
#undef SIMT_ONE

void __tsan_read_range(void* p, unsigned long size) {
  simt::xray::watch(p, size, Kind::load, HERE);
}
void __tsan_write_range(void* p, unsigned long size) {
  simt::xray::watch(p, size, Kind::store, HERE);
}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
void __tsan_atomic_thread_fence(int) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
void __tsan_atomic_signal_fence(int) {}

#define SIMT_FETCH(BITS, T, NAME)                                 \
  T __tsan_atomic##BITS##_fetch_##NAME(volatile T* p, T v, int) { \
    simt::xray::atomic(p, sizeof(T), Atomic::other, HERE);        \
    return __atomic_fetch_##NAME(p, v, __ATOMIC_SEQ_CST);         \
  }
#define SIMT_ATOMIC(BITS, T)                                                                \
  T __tsan_atomic##BITS##_load(const volatile T* p, int) {                                  \
    simt::xray::atomic(p, sizeof(T), Atomic::read, HERE);                                   \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                            \
  }                                                                                         \
  void __tsan_atomic##BITS##_store(volatile T* p, T v, int) {                               \
    simt::xray::atomic(p, sizeof(T), Atomic::other, HERE);                                  \
    __atomic_store_n(p, v, __ATOMIC_SEQ_CST);                                               \
  }                                                                                         \
  T __tsan_atomic##BITS##_exchange(volatile T* p, T v, int) {                               \
    simt::xray::atomic(p, sizeof(T), Atomic::other, HERE);                                  \
    return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST);                                     \
  }                                                                                         \
  SIMT_FETCH(BITS, T, add)                                                                  \
  SIMT_FETCH(BITS, T, sub)                                                                  \
  SIMT_FETCH(BITS, T, and)                                                                  \
  SIMT_FETCH(BITS, T, or)                                                                   \
  SIMT_FETCH(BITS, T, xor)                                                                  \
  SIMT_FETCH(BITS, T, nand)                                                                 \
  int __tsan_atomic##BITS##_compare_exchange_strong(volatile T* p, T* e, T v, int, int) {   \
    simt::xray::atomic(p, sizeof(T), Atomic::swap, HERE);                                   \
    return __atomic_compare_exchange_n(p, e, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
  }                                                                                         \
  int __tsan_atomic##BITS##_compare_exchange_weak(volatile T* p, T* e, T v, int, int) {     \
    simt::xray::atomic(p, sizeof(T), Atomic::swap, HERE);                                   \
    return __atomic_compare_exchange_n(p, e, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
  }                                                                                         \
  T __tsan_atomic##BITS##_compare_exchange_val(volatile T* p, T e, T v, int, int) {         \
    simt::xray::atomic(p, sizeof(T), Atomic::swap, HERE);                                   \
    __atomic_compare_exchange_n(p, &e, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);       \
    return e;                                                                               \
  }
SIMT_ATOMIC(8, unsigned char)
SIMT_ATOMIC(16, unsigned short)
SIMT_ATOMIC(32, unsigned int)
SIMT_ATOMIC(64, unsigned long)
#undef SIMT_ATOMIC
#undef SIMT_FETCH

// What the translator puts in (simt/check.h).
void simt_check_shaped_variable(const char*, const volatile void* base, std::size_t size,
                                const simt::ArrayShape*) {
  using namespace simt::xray;
  const auto begin = reinterpret_cast<std::uint64_t>(base);
  variables().push_back({begin, begin + size});
  variables_begin = std::min(variables_begin, begin);
  variables_end = std::max(variables_end, begin + size);
}
void* simt_check_memcpy(void* to, const void* from, std::size_t size) {
  simt::xray::watch(from, size, Kind::load, HERE);
  simt::xray::watch(to, size, Kind::store, HERE);
  return std::memcpy(to, from, size);
}
void* simt_check_memmove(void* to, const void* from, std::size_t size) {
  simt::xray::watch(from, size, Kind::load, HERE);
  simt::xray::watch(to, size, Kind::store, HERE);
  return std::memmove(to, from, size);
}
void* simt_check_memset(void* to, int value, std::size_t size) {
  simt::xray::watch(to, size, Kind::store, HERE);
  return std::memset(to, value, size);
}

}  // extern "C"
