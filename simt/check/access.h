#pragma once

// One access to memory, before it happens: the fast path.

#include <simt/self.h>

#include <cstddef>
#include <cstring>

#include "scheduler/shared_arena.h"
#include "state.h"

namespace simt::check {

// Compare: an atomic compare-and-swap.
enum class How : unsigned char { plain, atomic, compare, atomic_store, volatile_, copy, bulk };

inline bool is_update(How how) {
  return how == How::atomic || how == How::compare;
}

struct Access {
  Address address;
  std::size_t size;
  How how;
  bool write;
  const void* pc;

  const void* pointer() const { return reinterpret_cast<const void*>(address); }
};

// The last plain read: an atomicCAS may be fed by it.
struct LastRead {
  Address address = 0;
  std::uint64_t stamp = 0;  // whose it was
  const void* pc = nullptr;
};

// What an OS thread keeps between accesses.
struct Self {
  std::atomic<Address> writing{0};  // a store to crowded memory that may not have happened yet
  bool open = false;                // a race waits for its value: see races.h
  const Area* module = nullptr;     // the module whose variables were touched last
  Self* next = nullptr;
  LastRead read;
};
extern __attribute__((tls_model("initial-exec"))) __thread Self* mine;
void make_self();
inline Self& self() {
  if (__builtin_expect(mine == nullptr, 0)) make_self();
  return *mine;
}

// Not all marks are good. True when the access may happen and races are of interest; does not
// return from one that may not happen.
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
  return state.moment | std::uint64_t{thread} << 14 | std::uint64_t{bytes} << 10;
}
inline std::uint64_t place_of(const void* pc, const BlockState& state) {
  return reinterpret_cast<std::uint64_t>(pc) << 17 | state.whose;
}

// The bytes of its word that an aligned access touches, a bit for each.
template <std::size_t Size>
constexpr unsigned bytes_of(Address address) {
  return Size >= 4 ? 15u : ((1u << (Size & 3u)) - 1u) << (address & 3u);
}

// Bit of the last write's stamp: somebody is at work on the cell.
constexpr std::uint64_t cell_lock = 4;

// How far two threads of a block are apart: 0 the same, below 32 in one warp.
inline std::uint64_t threads_apart(std::uint64_t a, std::uint64_t b) {
  return (a ^ b) >> 14 & 1023u;
}

// Whether a note is of the running thread, since its last barrier or warp operation: nobody else
// has this time.
inline bool is_mine(std::uint64_t stamp, std::uint64_t me) {
  constexpr std::uint64_t thread_and_time = ~std::uint64_t{0} << 14 & ~Note::of_spare;
  return ((stamp ^ me) & thread_and_time) == 0 && (stamp & Note::atomic_flag) == 0;
}

// A read that changes nothing, when the last write is ordered before: it, or readers that are as
// far apart as this one is from the first, have been noted. `first`: the first reader's, not below
// the floor. This is the part that the cell itself can tell.
inline bool is_noted_read(std::uint64_t first, std::uint64_t me) {
  if ((first & Note::far_flag) != 0 || ((first ^ me) & ~Note::of_spare) == 0) return true;
  // Nothing orders the threads of a block within one moment of its time.
  if (first >> Note::time_shift != me >> Note::time_shift) return false;
  const unsigned noted = (first & Note::wide_flag) != 0 ? 1023 : (first & Note::near_flag) * 31 / 4;
  return threads_apart(first, me) - 1 < noted;
}

// A word that no other OS thread touches: enters the access if all it meets is history, its own, or
// readers like itself. One thread makes all notes, so none is older than the spare one behind it.
template <bool Write>
inline bool meet_alone(Cell& cell, std::uint64_t floor, std::uint64_t me, std::uint64_t place) {
  const std::uint64_t last = cell.write.stamp, read = cell.read.stamp;
  if (last >= floor && (!is_mine(last, me) || (last & Note::more_flag) != 0)) return false;
  if constexpr (Write) {
    if (read >= floor && (!is_mine(read, me) || (read & Note::more_flag) != 0)) return false;
    cell.write = {me, place};
  } else {
    if (read >= floor) return is_noted_read(read, me);
    cell.read = {me, place};
  }
  return true;
}

// The same for a word that other OS threads may be at, under its lock: all that is not history is
// left to meet_words. A read that has been noted needs no lock. Returns 0 when it is done; else the
// stamp of the last write with the lock, which is kept, or 1 without.
template <bool Write>
inline std::uint64_t meet_in_crowd(Cell& cell, const Spare& spare, std::uint64_t floor,
                                   std::uint64_t me, std::uint64_t place) {
  if constexpr (!Write) {
    const std::uint64_t read = __atomic_load_n(&cell.read.stamp, __ATOMIC_RELAXED);
    if (read >= floor) {
      const std::uint64_t last = __atomic_load_n(&cell.write.stamp, __ATOMIC_RELAXED);
      return last >= floor || !is_noted_read(read, me);
    }
  }
  const std::uint64_t last = __atomic_fetch_or(&cell.write.stamp, cell_lock, __ATOMIC_ACQUIRE);
  if (__builtin_expect((last & cell_lock) != 0, 0)) return 1;
  const std::uint64_t read = cell.read.stamp;
  const bool usual = last < floor && (read < floor || (Write && is_mine(read, me))) &&
                     ((last & Note::more_flag) == 0 || spare.write.stamp < floor) &&
                     ((read & Note::more_flag) == 0 || spare.read.stamp < floor);
  if (__builtin_expect(!usual, 0)) return last | cell_lock;
  Note& note = Write ? cell.write : cell.read;
  __atomic_store_n(&note.place, place, __ATOMIC_RELAXED);
  if constexpr (!Write) __atomic_store_n(&note.stamp, me, __ATOMIC_RELAXED);
  __atomic_store_n(&cell.write.stamp, Write ? me : last, __ATOMIC_RELEASE);
  return 0;
}

// Where a kernel that runs as loops keeps its threads' variables.
inline bool is_split_memory(const Block& block, Address address) {
  for (const SplitPiece& piece : block.split_pieces) {
    if (address - reinterpret_cast<Address>(piece.memory.get()) < piece.size) return true;
  }
  return false;
}

// Neither shared nor device memory: threadIdx and the like, the kernel's arguments, the thread's
// own stack, or elsewhere.
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

// Enters a plain, aligned access into its cells. The first cell's lock may be held already: then
// `held` is the stamp of its last write, with the lock.
template <std::size_t Size, bool Write>
void meet_words(const Area& area, Address address, const void* pc, std::uint64_t held = 0);

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

// Whether the marks let a plain access happen, without a look at the rest.
template <std::size_t Size, bool Write>
inline bool is_usual(const Self& me, Address address, unsigned char* marks) {
  if (me.open || address % (Size > 8 ? 8 : Size) != 0) return false;
  if (marks == nullptr || __builtin_expect(are<good, Size>(marks), 1)) return true;
  if (!Write || !are<inside, Size>(marks)) return false;
  std::memset(marks, good, Size);
  return true;
}

// Not in the block's shared memory.
template <std::size_t Size, bool Write>
[[gnu::noinline]] void heap_access(const Block& block, Address address, const void* pc) {
  const Area& area = heap_area;
  if (__builtin_expect(!area.holds(address), 0)) return near_by<Size, Write>(address, pc);
  BlockState& state = state_of(block);
  state.seen = true;
  Self& me = *state.self;
  unsigned char* const marks = area.marked ? area.mark(address) : nullptr;
  if (__builtin_expect(!is_usual<Size, Write>(me, address, marks), 0)) {
    return careful_access<Size, Write>(area, address, pc);
  }
  me.writing.store(Write ? address : 0, std::memory_order_release);
  if (area.cells == nullptr) return;  // races are of no interest
  const std::uint64_t stamp = stamp_here(state, rank_of_running(block), bytes_of<Size>(address));
  const std::uint64_t place = place_of(pc, state);
  if constexpr (!Write && Size >= 4) me.read = {address, stamp, pc};
  const std::size_t first = (address - area.begin) / 4;
  __builtin_prefetch(&area.cells[first + 32], 1);  // the next threads mostly touch the next words
  for (std::size_t i = first; i < first + (Size + 3) / 4; ++i) {
    Cell& cell = area.cells[i];
    const std::uint64_t held =
        meet_in_crowd<Write>(cell, area.spares[i], state.grid_floor, stamp, place);
    if (__builtin_expect(held == 0, 1)) continue;
    if (i == first) return meet_words<Size, Write>(area, address, pc, held);
    if ((held & cell_lock) != 0) {
      __atomic_store_n(&cell.write.stamp, held & ~cell_lock, __ATOMIC_RELEASE);
    }
    return meet_words<Size, Write>(area, address, pc);
  }
}

// A plain access whose size the compiler knows. What is rare is out of line and comes last, so that
// the rest needs few registers and no frame. The compiler takes the type's alignment for granted
// here; 16 bytes it also reads so when they are aligned to 8.
template <std::size_t Size, bool Write>
inline void kernel_access(const Block& block, Address address, const void* pc) {
  BlockState& state = state_of(block);
  const Area& area = state.shared;
  if (!area.holds(address)) return heap_access<Size, Write>(block, address, pc);
  state.seen = true;
  Self& me = *state.self;
  if (__builtin_expect(!is_usual<Size, Write>(me, address, area.mark(address)), 0)) {
    return careful_access<Size, Write>(area, address, pc);
  }
  me.writing.store(0, std::memory_order_release);
  if (area.cells == nullptr) return;
  if (__builtin_expect(area.crowded, 0)) return meet_words<Size, Write>(area, address, pc);
  const std::uint64_t stamp = stamp_here(state, rank_of_running(block), bytes_of<Size>(address));
  const std::uint64_t place = place_of(pc, state);
  if constexpr (!Write && Size >= 4) me.read = {address, stamp, pc};
  Cell* const cells = area.cells + (address - area.begin) / 4;
  for (std::size_t i = 0; i < (Size + 3) / 4; ++i) {
    if (__builtin_expect(!meet_alone<Write>(cells[i], state.floor, stamp, place), 0)) {
      return meet_words<Size, Write>(area, address, pc);
    }
  }
}

// Any access: of any size, atomic or not.
void general_access(const Access& access);

}  // namespace simt::check
