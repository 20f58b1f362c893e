// The callbacks that -fsanitize=thread puts before every access, in place of libtsan's.

#include <simt/array_shape.h>
#include <simt/self.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <vector>

#include "scheduler/shared_arena.h"
#include "watched.h"

namespace simt::xray {
namespace {

struct Variable {
  std::uint64_t base, end;
  const char* name;
  bool constant = false;
  // One bit per sector that a launch has touched, for loads and for stores.
  std::unique_ptr<std::atomic<std::uint64_t>[]> touched[2] = {};

  std::size_t words() const { return (end - base) / sector_bytes / 64 + 1; }
};
// Made when modules are loaded, before their kernels run.
std::vector<Variable>& variables() {
  static auto* const all = new std::vector<Variable>;
  return *all;
}
std::uint64_t variables_begin = ~std::uint64_t{0}, variables_end = 0;

Variable* find_variable(std::uint64_t address) {
  if (address < variables_begin || address >= variables_end) return nullptr;
  for (Variable& v : variables())
    if (address >= v.base && address < v.end) return &v;
  return nullptr;
}

// An array of the running thread that the translator has told of.
const OwnArray* find_own(BlockState& state, unsigned id, std::uint64_t address) {
  if (id / 32 >= std::size(state.warps) || state.warps[id / 32] == nullptr) return nullptr;
  const WarpTrace& trace = *state.warps[id / 32];
  for (unsigned i = trace.own_count[id % 32]; i-- > 0;) {
    const OwnArray& own = trace.own[id % 32][i];
    if (address - own.base < own.size) return &own;
  }
  return nullptr;
}

std::uint64_t address_in_array(unsigned id, std::uint64_t offset) {
  return std::uint64_t{id} << array_shift | (offset & ((std::uint64_t{1} << array_shift) - 1));
}

[[gnu::noinline]] void elsewhere(Block& block, BlockState& state, std::uint64_t address,
                                 unsigned size, Kind kind, const void* pc) {
  if (const Variable* const v = find_variable(address); v != nullptr) {
    if (!v->constant) return note(block, state, Event::of(pc, address, size, kind, Space::global));
    const std::uint64_t inside = address_in_array(state.array(v->name), address - v->base);
    return note(block, state, Event::of(pc, inside, size, kind, Space::constant));
  }
  if (const OwnArray* const own = find_own(state, rank_of_running(block), address);
      own != nullptr) {
    const std::uint64_t inside = address_in_array(own->id, address - own->base);
    return note(block, state, Event::of(pc, inside, size, kind, own->space));
  }
  const void* const pointer = reinterpret_cast<const void*>(address);
  const Fiber& fiber = *block.running;
  if (pointer >= fiber.stack_low && pointer < fiber.stack_high) return;  // a local variable
  if (block.cluster == nullptr || address - state.arguments < state.arguments_size) return;
  if (block.shared_owner(pointer) != nullptr)
    note(block, state, Event::of(pc, address, size, kind, Space::cluster));
}

std::uint64_t heap_begin = 0, heap_size = 0;

[[gnu::always_inline]] inline bool is_in_device_memory(std::uint64_t address) {
  if (__builtin_expect(heap_size == 0, 0)) {
    const auto [begin, end] = heap_bounds();
    heap_begin = begin;
    heap_size = end - begin;
  }
  return address - heap_begin < heap_size;
}

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
  if (is_in_device_memory(address))
    return note(block, state, Event::of(pc, address, size, kind, Space::global));
  elsewhere(block, state, address, size, kind, pc);
}

enum class Atomic : unsigned char { read, swap, other };

// A read and the compare-and-swaps of the same word that follow it, until one succeeds, are one atomic operation
// (simt/atomic.h): how often it fails depends on the OS threads. So are reads of one word one after the other: a lane
// that waits for another block turns as often as the OS makes it.
void atomic(const volatile void* p, unsigned size, Atomic how, const void* pc) {
  if (front == nullptr) return;
  Block& block = current_block();
  BlockState& state = state_of(block);
  if (!state.counting || block.unwatched) return;
  const unsigned id = rank_of_running(block);
  std::uint64_t& last_read = state.warp(id / 32).last_read[id % 32];
  const auto address = reinterpret_cast<std::uint64_t>(p);
  constexpr std::uint64_t swapped = std::uint64_t{1} << 63;
  if (how == Atomic::swap && (last_read & ~swapped) == address) {
    last_read |= swapped;
    return;
  }
  if (how == Atomic::read && last_read == address) {
    ++state.counts.waits;
    return;
  }
  last_read = how == Atomic::read ? address : 0;
  one(p, size, Kind::atomic, pc);
}

}  // namespace

bool is_fresh_in_variable(std::uint64_t address, bool write) {
  const Variable* const v = find_variable(address);
  if (v == nullptr) return true;
  std::atomic<std::uint64_t>* const bits = v->touched[write ? 1 : 0].get();
  if (bits == nullptr) return true;
  const std::uint64_t at = (address - v->base / sector_bytes * sector_bytes) / sector_bytes;
  const std::uint64_t bit = std::uint64_t{1} << at % 64;
  return (bits[at / 64].fetch_or(bit, std::memory_order_relaxed) & bit) == 0;
}

void forget_variables() {
  for (Variable& v : variables())
    for (const auto& bits : v.touched)
      for (std::size_t i = 0; bits != nullptr && i < v.words(); ++i) bits[i] = 0;
}

[[gnu::always_inline]] inline void begin_code(const void* pc) {
  if (front == nullptr) return;
  Block& block = current_block();
  BlockState& state = state_of(block);
  if (state.counting && !block.unwatched)
    note(block, state, Event::of(pc, 0, 0, Kind::code, Space::local));
}

void watch(const volatile void* at, std::size_t size, Kind kind, const void* pc) {
  // A struct of 12 bytes is aligned to 4 at most, wherever it lies: all lanes access it in the same pieces.
  watch(at, size, kind, pc, static_cast<unsigned>(std::min<std::size_t>(16, size & -size)));
}

void watch(const volatile void* at, std::size_t size, Kind kind, const void* pc, unsigned piece) {
  auto address = reinterpret_cast<std::uint64_t>(at);
  while (size != 0) {
    unsigned part = piece;
    while (address % part != 0 || part > size) part /= 2;
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

// A struct. One of 8 or 16 bytes that comes here is not aligned to its size, such as four floats: in device memory by its
// members, whose size is taken to be 4. In shared memory nvcc aligns the variable as it likes, and a local one is in registers.
static void simt_xray_struct(void* p, unsigned long size, Kind kind, const void* pc) {
  if ((size == 8 || size == 16) &&
      simt::xray::is_in_device_memory(reinterpret_cast<std::uint64_t>(p)))
    simt::xray::watch(p, size, kind, pc, 4);
  else
    simt::xray::watch(p, size, kind, pc);
}
void __tsan_read_range(void* p, unsigned long size) {
  simt_xray_struct(p, size, Kind::load, HERE);
}
void __tsan_write_range(void* p, unsigned long size) {
  simt_xray_struct(p, size, Kind::store, HERE);
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
void simt_check_shaped_variable(const char* name, const volatile void* base, std::size_t size,
                                const simt::ArrayShape*) {
  using namespace simt::xray;
  const auto begin = reinterpret_cast<std::uint64_t>(base);
  variables().push_back({begin, begin + size, name});
  Variable& made = variables().back();
  for (auto& bits : made.touched)
    bits = std::make_unique<std::atomic<std::uint64_t>[]>(made.words() + 1);
  variables_begin = std::min(variables_begin, begin);
  variables_end = std::max(variables_end, begin + size);
}
void simt_check_variable_template() {
}  // their addresses are not known: they have no name in a report
void simt_xray_constant(const char*, const volatile void* base, std::size_t) {
  simt::xray::Variable* const v = simt::xray::find_variable(reinterpret_cast<std::uint64_t>(base));
  if (v != nullptr) v->constant = true;
}
void simt_xray_array(const char* name, const volatile void* base, std::size_t size, bool constant) {
  using namespace simt::xray;
  if (simt::front == nullptr) return;
  simt::Block& block = simt::current_block();
  BlockState& state = state_of(block);
  if (!state.counting || block.unwatched) return;
  const unsigned thread = simt::rank_of_running(block), id = state.array(name);
  WarpTrace& trace = state.warp(thread / 32);
  OwnArray* const mine = trace.own[thread % 32];
  std::uint8_t& count = trace.own_count[thread % 32];
  unsigned at = 0;
  while (at < count && mine[at].id != id) ++at;
  if (at == own_arrays) return;
  count = std::max<std::uint8_t>(count, static_cast<std::uint8_t>(at + 1));
  mine[at] = {reinterpret_cast<std::uint64_t>(base), size, id,
              constant ? Space::constant : Space::local};
}
void simt_xray_atomic(const volatile void* address, std::size_t size) {
  simt::xray::atomic(address, static_cast<unsigned>(size), Atomic::other, HERE);
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
