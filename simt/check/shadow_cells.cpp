// The shadow cells: what is remembered about each word, and what a new access is compared with.

#include <algorithm>

#include "races.h"

namespace simt::check {
namespace {

// The bit stays until the last write's stamp is stored again: whoever stored it in between would
// take another thread's bit for a part of the stamp, and nobody would ever clear it.
std::uint64_t lock(Cell& cell) {
  for (;;) {
    const std::uint64_t stamp = __atomic_fetch_or(&cell.write.stamp, cell_lock, __ATOMIC_ACQUIRE);
    if ((stamp & cell_lock) == 0) return stamp;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
}

// A note is read without the lock (see is_old_read), so each half is stored at once.
void put(Note& to, const Note& note, std::uint64_t flags = 0) {
  __atomic_store_n(&to.place, note.place, __ATOMIC_RELAXED);
  __atomic_store_n(&to.stamp, note.stamp | flags, __ATOMIC_RELAXED);
}

bool same_thread(const Note& a, const Note& b) {
  return a.thread() == b.thread() && a.block() == b.block();
}

// How far apart two threads are: what orders them is the rarer, the farther they are.
int distance(const Note& a, const Note& b) {
  if (a.block() != b.block()) return 3;
  if (a.warp() != b.warp()) return 2;
  return a.thread() != b.thread();
}

// A second reader. If it is `far`, no farther one need be kept, and both notes say so.
void put_second(Cell& cell, Spare& spare, const Note& me, bool far) {
  const std::uint64_t flag = far ? Note::far_flag : 0;
  const bool same_moment = cell.read.time() == me.time();
  const std::uint64_t kind =
      threads_apart(cell.read.stamp, me.stamp) < 32 ? Note::near_flag : Note::wide_flag;
  const std::uint64_t first =
      (cell.read.stamp & ~Note::of_spare) | Note::more_flag | flag | (same_moment ? kind : 0);
  put(spare.read, me, flag);
  __atomic_store_n(&cell.read.stamp, first, __ATOMIC_RELAXED);
}

struct Watch {
  std::uint64_t floor;  // stamps below are history
  int farthest;         // that two threads can be apart: 2 in one block, 3 in several
  bool crowded;
  bool compares = false;  // the access is a compare-and-swap
};

struct Visit {
  Cell& cell;
  Spare& spare;
  const Note& last;    // write, without the lock
  const Note& write2;  // of the spare, if there is one
  const Note& me;
  const BlockState& state;
  const Watch& watch;

  bool is_old(const Note& note) const { return note.stamp < watch.floor; }

  bool conflicts(const Note& before) const {
    return !is_old(before) && (before.bytes() & me.bytes()) != 0 &&
           !(before.is_atomic() && me.is_atomic()) && !ordered(before, state, me.thread());
  }

  // How the last block to finish sets its counter back: `before` is another block's update, one of
  // this block came after it, and a plain write comes after that. Blocks that count themselves make
  // a fence first; without one it stays a race.
  bool sets_back(const Note& before) const {
    if (!before.is_atomic() || me.is_atomic() || before.block() == state.index) return false;
    if (!last.is_atomic() || last.block() != state.index) return false;
    const auto* fences = state.grid->fences.load(std::memory_order_acquire);
    return fences != nullptr && ordered(last, state, me.thread()) &&
           fences[before.block()].load(std::memory_order_relaxed) != 0 &&
           fences[state.index].load(std::memory_order_relaxed) != 0;
  }

  // What is ordered before me need not be kept, as long as whoever comes later is ordered with it
  // through me: within a block.
  bool replaceable(const Note& note) const {
    return is_old(note) || (note.block() == state.index && ordered(note, state, me.thread()));
  }

  void keep_read(const Note& read2) const {
    if (replaceable(cell.read)) {
      put(cell.read, me, is_old(read2) ? 0 : Note::more_flag);
      return;
    }
    if (!replaceable(read2) && distance(cell.read, me) <= distance(cell.read, read2)) return;
    put_second(cell, spare, me, distance(cell.read, me) >= watch.farthest);
  }

  // Returns whether there is a second write from now on.
  bool keep_write(const Note& read2) const {
    bool second = !is_old(write2);
    // An atomic operation must not hide the thread's own plain write from the others.
    const bool hidden = same_thread(last, me) && me.is_atomic() && !last.is_atomic();
    const bool unordered = !same_thread(last, me) && !ordered(last, state, me.thread()) &&
                           (!second || distance(last, me) >= distance(write2, me));
    if (!is_old(last) && (hidden || unordered)) {
      put(spare.write, last);
      second = true;
    }
    // Reading first is how loops around atomicCAS begin: the read is a part of it.
    if (watch.compares) {
      if (same_thread(cell.read, me)) cell.read.stamp |= Note::atomic_flag;
      if (!is_old(read2) && same_thread(read2, me)) spare.read.stamp |= Note::atomic_flag;
    }
    if (me.is_atomic()) forget_own_reads();
    return second;
  }

  // An atomic read is the first half of its thread's update (atomicInc is a loop of both): whoever
  // is unordered with the read is so with the update.
  void forget_own_reads() const {
    const auto is_half = [&](const Note& n) { return n.is_atomic() && same_thread(n, me); };
    const auto alone = [](const Note& n) { return Note{n.stamp & ~Note::of_spare, n.place}; };
    const bool both = (cell.read.stamp & Note::more_flag) != 0;
    if (both && is_half(spare.read)) {
      put(cell.read, alone(cell.read));
      if (is_half(cell.read)) put(cell.read, Note{});
    } else if (is_half(cell.read)) {
      put(cell.read, both ? alone(spare.read) : Note{});
    }
  }
};

// Enters an access into the word's cell, and compares it with those before. `stamp`: the last
// write's, which holds the lock if the area is crowded.
Conflict meet_locked(Cell& cell, Spare& spare, std::uint64_t stamp, const Note& me, bool write,
                     const Watch& watch, const BlockState& state) {
  const Note last{stamp, cell.write.place};
  const Note nothing{};
  const Note write2 = (stamp & Note::more_flag) != 0 ? spare.write : nothing;
  const Note read2 = (cell.read.stamp & Note::more_flag) != 0 ? spare.read : nothing;
  const Visit visit{cell, spare, last, write2, me, state, watch};
  Conflict conflict;
  for (const Note* note : {&last, &write2}) {
    if (conflict.found || !visit.conflicts(*note)) continue;
    if (!write || !visit.sets_back(*note)) conflict = {*note, true, true};
  }
  if (write) {
    for (const Note* note : {static_cast<const Note*>(&cell.read), &read2}) {
      if (!conflict.found && visit.conflicts(*note)) conflict = {*note, true, false};
    }
    const bool second = visit.keep_write(read2);
    cell.write.place = me.place;
    stamp = me.stamp | (second ? Note::more_flag : 0);
  } else {
    visit.keep_read(read2);
  }
  // Unlocks.
  __atomic_store_n(&cell.write.stamp, stamp, __ATOMIC_RELEASE);
  return conflict;
}

Watch watch_of(const Area& area, const BlockState& state) {
  const bool own_block = &area == &state.shared && !area.crowded;
  return {std::max(own_block ? state.floor : state.grid_floor, area.since),
          own_block ? 2 : state.farthest, area.crowded};
}

void unlock(Cell& cell, std::uint64_t stamp, const Watch& watch) {
  if (watch.crowded) __atomic_store_n(&cell.write.stamp, stamp, __ATOMIC_RELEASE);
}

// The same for plain accesses, with what most of them meet: writes and reads that are history or of
// the thread itself, and, for a read, one other reader of this moment. False for all else; then the
// cell is still locked.
template <bool Write>
inline bool meet_usual(Cell& cell, Spare& spare, std::uint64_t last, const Note& me,
                       const Watch& watch) {
  const std::uint64_t read = cell.read.stamp;
  if (last >= watch.floor && !is_mine(last, me.stamp)) return false;
  if ((last & Note::more_flag) != 0 && spare.write.stamp >= watch.floor) return false;
  if ((read & Note::more_flag) != 0 && spare.read.stamp >= watch.floor) return false;
  if constexpr (Write) {
    if (read >= watch.floor && !is_mine(read, me.stamp)) return false;
    cell.write.place = me.place;
    __atomic_store_n(&cell.write.stamp, me.stamp, __ATOMIC_RELEASE);
    return true;
  }
  if (read < watch.floor) {
    put(cell.read, me);
  } else if ((read ^ me.stamp) >> Note::time_shift == 0 && threads_apart(read, me.stamp) != 0) {
    // Nothing orders threads of a block within one moment of its time.
    const bool far = watch.farthest == 2 && threads_apart(read, me.stamp) >= 32;
    put_second(cell, spare, me, far);
  } else {
    return false;
  }
  unlock(cell, last, watch);
  return true;
}

// As is_noted_read, with the spare note.
bool is_known_read(const Cell& cell, const Spare& spare, std::uint64_t floor, std::uint64_t me) {
  if (__atomic_load_n(&cell.write.stamp, __ATOMIC_RELAXED) >= floor) return false;
  const std::uint64_t first = __atomic_load_n(&cell.read.stamp, __ATOMIC_RELAXED);
  if (first < floor) return false;
  if (is_noted_read(first, me)) return true;
  if ((first & Note::more_flag) == 0) return false;
  const std::uint64_t second = __atomic_load_n(&spare.read.stamp, __ATOMIC_RELAXED);
  if (second < floor) return false;
  if (((second ^ me) & ~Note::of_spare) == 0) return true;
  if (((first ^ me) | (second ^ me)) >> Note::time_shift != 0) return false;
  const std::uint64_t apart = threads_apart(first, me);
  if (apart == 0 || threads_apart(second, me) == 0) return false;
  return apart < 32 || threads_apart(first, second) >= 32;
}

// Whether there is a race, which is told.
[[gnu::noinline]] bool meet_unusual(const Area& area, std::size_t index, std::uint64_t last,
                                    const Note& me, const Access& access) {
  const BlockState& state = state_of(current_block());
  const Conflict conflict = meet_locked(area.cells[index], area.spares[index], last, me,
                                        access.write, watch_of(area, state), state);
  if (conflict.found) race_found(area, access, me, conflict);
  return conflict.found;
}

}  // namespace

template <std::size_t Size, bool Write>
void meet_words(const Area& area, Address address, const void* pc, std::uint64_t held) {
  const Block& block = current_block();
  const BlockState& state = state_of(block);
  const Watch watch = watch_of(area, state);
  const Note me{stamp_here(state, rank_of_running(block), bytes_of<Size>(address)),
                place_of(pc, state)};
  const std::size_t first = (address - area.begin) / 4;
  for (std::size_t i = first; i < first + (Size + 3) / 4; ++i) {
    Cell& cell = area.cells[i];
    std::uint64_t last = held & ~cell_lock;
    if ((held & cell_lock) == 0) {
      if (!Write && is_known_read(cell, area.spares[i], watch.floor, me.stamp)) continue;
      last = watch.crowded ? lock(cell) : cell.write.stamp;
    }
    held = 0;
    if (__builtin_expect(meet_usual<Write>(cell, area.spares[i], last, me, watch), 1)) continue;
    if (meet_unusual(area, i, last, me, {address, Size, How::plain, Write, pc})) break;
  }
  if (Write && watch.crowded) mine->writing.store(address, std::memory_order_release);
}

#define SIMT_SIZE(SIZE)                                                                    \
  template void meet_words<SIZE, false>(const Area&, Address, const void*, std::uint64_t); \
  template void meet_words<SIZE, true>(const Area&, Address, const void*, std::uint64_t);
SIMT_SIZE(1)
SIMT_SIZE(2)
SIMT_SIZE(4)
SIMT_SIZE(8)
SIMT_SIZE(16)
#undef SIMT_SIZE

void meet_cells(const Area& area, const Access& access) {
  const Block& block = current_block();
  const BlockState& state = state_of(block);
  if (access.how == How::compare) forgive_reads(access);
  // A volatile variable in global memory is how old programs spell an atomic.
  const bool strong = is_update(access.how) || access.how == How::atomic_store ||
                      (access.how == How::volatile_ && &area != &state.shared);
  Note me{stamp_here(state, rank_of_running(block), 0) | (strong ? Note::atomic_flag : 0) |
              (access.how == How::bulk ? Note::bulk_flag : 0),
          place_of(access.pc, state)};
  Watch watch = watch_of(area, state);
  watch.compares = access.how == How::compare;
  const std::size_t begin = access.address - area.begin, end = begin + access.size;
  for (std::size_t at = begin; at < end;) {
    const std::size_t next = std::min((at & ~std::size_t{3}) + 4, end);
    const std::uint64_t bytes = ((1u << (next - at)) - 1u) << (at & 3u);
    me.stamp = (me.stamp & ~(std::uint64_t{15} << 10)) | bytes << 10;
    Cell& cell = area.cells[at / 4];
    const std::uint64_t last = watch.crowded ? lock(cell) : cell.write.stamp;
    const Conflict conflict =
        meet_locked(cell, area.spares[at / 4], last, me, access.write, watch, state);
    if (__builtin_expect(conflict.found, 0)) {
      race_found(area, access, me, conflict);
      break;
    }
    at = next;
  }
  if (access.write && area.crowded && access.size <= 16) {
    self().writing.store(access.address, std::memory_order_release);
  }
}

}  // namespace simt::check
