#pragma once

// One access to memory, before it happens: the part that every access takes.

#include <simt/self.h>

#include <cstddef>
#include <cstring>

#include "shared_arena.h"
#include "state.h"

namespace simt::check {

enum class How : unsigned char { plain, atomic, atomic_store, volatile_, copy, bulk };

struct Access {
  Address address;
  std::size_t size;
  How how;
  bool write;
  const void* pc;

  const void* pointer() const { return reinterpret_cast<const void*>(address); }
};

// What an OS thread keeps between accesses.
struct Self {
  std::atomic<Address> writing{0};  // a store to crowded memory that may not have happened yet
  bool open = false;                // a race waits for its value: see races.h
  const Area* module = nullptr;     // the module whose variables were touched last
  Self* next = nullptr;
};
extern __attribute__((tls_model("initial-exec"))) __thread Self* mine;
void make_self();
inline Self& self() {
  if (__builtin_expect(mine == nullptr, 0)) make_self();
  return *mine;
}

// Not all marks are good. True when the access may happen and races are of interest; does not return
// from one that may not happen.
bool look_closer(const Area& area, const Access& access);
// Neither the block's shared memory, nor device memory, nor the thread's own stack.
void elsewhere(Block& block, const Access& access);
void host_access(const Access& access);
void misaligned(const Access& access);
void dead_stack(const Access& access);
void register_in_flight(const Access& access);
void bad_index(const char* type, long long index, const void* pc);
void bad_object(const Access& access);

// Enters the access into its cells.
void meet_cells(const Area& area, const Access& access);
void settle_open();

// The last store of this OS thread has happened: what depended on its value is decided now.
inline void settle_writes(Self& me) {
  me.writing.store(0, std::memory_order_release);
  if (__builtin_expect(me.open, 0)) settle_open();
}

inline bool all_good(const unsigned char* marks, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    if (marks[i] != good) return false;
  }
  return true;
}

template <std::size_t Size>
inline bool are_good(const unsigned char* marks) {
  constexpr std::uint64_t pattern = 0x0101010101010101u;
  if constexpr (Size == 16) {
    return are_good<8>(marks) && are_good<8>(marks + 8);
  } else {
    std::uint64_t found = 0;
    std::memcpy(&found, marks, Size);
    return found == (pattern & (~std::uint64_t{0} >> (64 - 8 * Size)));
  }
}

// A read that changes nothing in the cell: the last write is ordered before, and readers as far apart
// as this one, or this one itself, have been noted.
inline bool is_old_read(const Cell& cell, const BlockState& state, std::uint64_t floor,
                        std::uint64_t who) {
  const std::uint64_t write = __atomic_load_n(&cell.write.stamp, __ATOMIC_RELAXED);
  if (write >= floor) return false;
  const std::uint64_t second = __atomic_load_n(&cell.read2.stamp, __ATOMIC_RELAXED);
  if (second >= floor && (second & Note::far_flag) != 0) return true;
  return __atomic_load_n(&cell.read.stamp, __ATOMIC_RELAXED) == who &&
         (__atomic_load_n(&cell.read.place, __ATOMIC_RELAXED) & 0x1ffffu) == state.whose;
}

inline std::uint64_t stamp_here(const BlockState& state, unsigned thread, unsigned bytes) {
  return stamp_of(state.now) | std::uint64_t{thread} << 14 | std::uint64_t{bytes} << 10 | state.who;
}

template <std::size_t Size>
inline bool is_quiet_read(const Area& area, Address address, const Block& block,
                          const BlockState& state, std::uint64_t floor) {
  constexpr unsigned mask = Size >= 4 ? 15u : (1u << Size) - 1u;
  const unsigned bytes = Size >= 4 ? mask : mask << (address & 3u);
  const std::uint64_t who = stamp_here(state, rank_of_running(block), bytes);
  const Cell* cell = area.cells + (address - area.begin) / 4;
  for (std::size_t i = 0; i < (Size + 3) / 4; ++i) {
    if (!is_old_read(cell[i], state, floor, who)) return false;
  }
  return true;
}

// The thread's own stack, or elsewhere.
template <std::size_t Size, bool Write>
[[gnu::noinline]] void near_by(Block& block, Address address, const void* pc) {
  const Access access{address, Size, How::plain, Write, pc};
  const Fiber& fiber = *block.running;
  if (access.pointer() < fiber.stack_low || access.pointer() >= fiber.stack_high) {
    return elsewhere(block, access);
  }
  if (access.pointer() < __builtin_frame_address(0)) dead_stack(access);
  if (__builtin_expect(block.products_in_flight != 0, 0) && is_in_flight(access.pointer())) {
    register_in_flight(access);
  }
}

// A plain access whose size the compiler knows, aligned. What is rare is out of line, so that the rest
// needs few registers.
template <std::size_t Size, bool Write>
inline void kernel_access(Address address, const void* pc) {
  const auto access = [&] { return Access{address, Size, How::plain, Write, pc}; };
  Block& block = current_block();
  BlockState& state = state_of(block);
  const Area* area;
  std::uint64_t floor;
  if (state.shared.holds(address)) {
    area = &state.shared;
    floor = state.floor;
  } else if (heap_area.holds(address)) {
    area = &heap_area;
    floor = state.grid_floor;
  } else {
    if (address - state.arguments < state.arguments_size) return;
    return near_by<Size, Write>(block, address, pc);
  }
  state.seen = true;
  settle_writes(self());
  if (!are_good<Size>(area->mark(address)) && !look_closer(*area, access())) return;
  if (!enabled.race) return;
  if (!Write && is_quiet_read<Size>(*area, address, block, state, floor)) return;
  meet_cells(*area, access());
}

// Any access: of any size, atomic or not.
void general_access(const Access& access);

// threadIdx and the like. Device memory may begin right behind.
inline bool is_thread_local(Address address) {
  const auto tls = reinterpret_cast<Address>(__builtin_thread_pointer());
#if defined(__x86_64__)
  return address - (tls - 64 * 1024) < 66 * 1024;
#else
  return address - tls < 64 * 1024;
#endif
}

}  // namespace simt::check
