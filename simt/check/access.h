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

// threadIdx and the like. Device memory may begin right behind.
inline bool is_thread_local(Address address) {
  const auto tls = reinterpret_cast<Address>(__builtin_thread_pointer());
#if defined(__x86_64__)
  return address - (tls - 64 * 1024) < 66 * 1024;
#else
  return address - tls < 64 * 1024;
#endif
}

inline bool all_good(const unsigned char* marks, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    if (marks[i] != good) return false;
  }
  return true;
}

template <Mark Value, std::size_t Size>
inline bool are(const unsigned char* marks) {
  constexpr std::uint64_t pattern = 0x0101010101010101u * Value;
  if constexpr (Size == 16) {
    return are<Value, 8>(marks) && are<Value, 8>(marks + 8);
  } else {
    std::uint64_t found = 0;
    std::memcpy(&found, marks, Size);
    return found == (pattern & (~std::uint64_t{0} >> (64 - 8 * Size)));
  }
}

inline std::uint64_t stamp_here(const BlockState& state, unsigned thread, unsigned bytes) {
  return stamp_of(state.now) | std::uint64_t{thread} << 14 | std::uint64_t{bytes} << 10 | state.who;
}

// The bytes of its word that an aligned access touches, a bit for each.
template <std::size_t Size>
constexpr unsigned bytes_of(Address address) {
  return Size >= 4 ? 15u : ((1u << (Size & 3u)) - 1u) << (address & 3u);
}

// A read that changes nothing in the cell: the last write is ordered before, and this read, or readers
// that are as far apart as this one is from the first, have been noted.
inline bool is_old_read(const Area& area, std::size_t index, std::uint64_t floor,
                        std::uint64_t me) {
  constexpr std::uint64_t passing = Note::more_flag | Note::far_flag;
  const Cell& cell = area.cells[index];
  if (__atomic_load_n(&cell.write.stamp, __ATOMIC_RELAXED) >= floor) return false;
  const std::uint64_t first = __atomic_load_n(&cell.read.stamp, __ATOMIC_RELAXED);
  if (first < floor) return false;
  if ((first & Note::far_flag) != 0 || ((first ^ me) & ~passing) == 0) return true;
  if ((first & Note::more_flag) == 0) return false;
  const std::uint64_t second = __atomic_load_n(&area.spares[index].read.stamp, __ATOMIC_RELAXED);
  if (second < floor) return false;
  if (((second ^ me) & ~passing) == 0) return true;
  // Nothing orders the threads of a block within one moment of its time. Which are apart as warps
  // shows in bits 19 to 23.
  if (first >> 25 != me >> 25 || second >> 25 != me >> 25) return false;
  const auto thread_bits = [](std::uint64_t a, std::uint64_t b) { return (a ^ b) >> 14 & 1023u; };
  const std::uint64_t mine = thread_bits(first, me);
  if (mine == 0 || thread_bits(second, me) == 0) return false;
  return mine < 32 || thread_bits(first, second) >= 32;
}

template <std::size_t Size>
inline bool is_quiet_read(const Area& area, Address address, const Block& block,
                          const BlockState& state, std::uint64_t floor) {
  const std::uint64_t me = stamp_here(state, rank_of_running(block), bytes_of<Size>(address));
  const std::size_t first = (address - area.begin) / 4;
  for (std::size_t i = 0; i < (Size + 3) / 4; ++i) {
    if (!is_old_read(area, first + i, floor, me)) return false;
  }
  return true;
}

// Where a kernel that runs as loops keeps its threads' variables.
inline bool is_split_memory(const Block& block, Address address) {
  for (const SplitPiece& piece : block.split_pieces) {
    if (address - reinterpret_cast<Address>(piece.memory.get()) < piece.size) return true;
  }
  return false;
}

// Neither shared nor device memory: threadIdx and the like, the kernel's arguments, the thread's own
// stack, or elsewhere.
template <std::size_t Size, bool Write>
[[gnu::noinline]] void near_by(Address address, const void* pc) {
  if (is_thread_local(address)) return;
  const Access access{address, Size, How::plain, Write, pc};
  if (__builtin_expect(address % (Size > 8 ? 8 : Size) != 0, 0)) misaligned(access);
  Block& block = current_block();
  const BlockState& state = state_of(block);
  if (address - state.arguments < state.arguments_size) return;
  if (block.splitting && is_split_memory(block, address)) return;
  const Fiber& fiber = *block.running;
  if (access.pointer() < fiber.stack_low || access.pointer() >= fiber.stack_high) {
    return elsewhere(block, access);
  }
  if (access.pointer() < __builtin_frame_address(0)) dead_stack(access);
  if (__builtin_expect(block.products_in_flight != 0, 0) && is_in_flight(access.pointer())) {
    register_in_flight(access);
  }
}

// Enters a plain, aligned access into its cells.
template <std::size_t Size, bool Write>
void meet_words(const Area& area, Address address, const void* pc);

// The access has met something that is not good, is not aligned, or a store has to be settled.
template <std::size_t Size, bool Write>
[[gnu::noinline]] void careful_access(const Area& area, Address address, const void* pc) {
  const Access access{address, Size, How::plain, Write, pc};
  const bool aligned = address % (Size > 8 ? 8 : Size) == 0;
  if (!aligned) misaligned(access);
  settle_writes(self());
  if (!are<good, Size>(area.mark(address)) && !look_closer(area, access)) return;
  if (!enabled.race) return;
  if (aligned) return meet_words<Size, Write>(area, address, pc);
  meet_cells(area, access);
}

// A plain access whose size the compiler knows. What is rare is out of line and comes last, so that
// the rest needs few registers and no frame. The compiler takes the type's alignment for granted here;
// 16 bytes it also reads so when they are aligned to 8.
template <std::size_t Size, bool Write>
inline void kernel_access(Block& block, Address address, const void* pc) {
  BlockState& state = state_of(block);
  const Area* area = &state.shared;
  std::uint64_t floor = state.floor;
  if (!state.shared.holds(address)) {
    if (__builtin_expect(!heap_area.holds(address), 0)) return near_by<Size, Write>(address, pc);
    area = &heap_area;
    floor = state.grid_floor;
  }
  state.seen = true;
  Self& me = *mine;  // made when the block began
  unsigned char* const marks = area->mark(address);
  const bool usual = !me.open && address % (Size > 8 ? 8 : Size) == 0;
  if (__builtin_expect(!usual, 0)) return careful_access<Size, Write>(*area, address, pc);
  if (__builtin_expect(!are<good, Size>(marks), 0)) {
    if (!Write || !are<inside, Size>(marks)) {
      return careful_access<Size, Write>(*area, address, pc);
    }
    std::memset(marks, good, Size);
  }
  me.writing.store(0, std::memory_order_release);
  if (!enabled.race) return;
  if (!Write && is_quiet_read<Size>(*area, address, block, state, floor)) return;
  meet_words<Size, Write>(*area, address, pc);
}

// Any access: of any size, atomic or not.
void general_access(const Access& access);

}  // namespace simt::check
