// The cells: what is remembered of each word, and what a new access is compared with.

#include <algorithm>

#include "races.h"

namespace simt::check {
namespace {

// Bit of a cell's first stamp: somebody is at work on the cell.
constexpr std::uint64_t locked = 4;

// The bit stays until the last write's stamp is stored again: whoever stored it in between would take
// another thread's bit for a part of the stamp, and nobody would ever clear it.
std::uint64_t lock(Cell& cell) {
  for (;;) {
    const std::uint64_t stamp = __atomic_fetch_or(&cell.write.stamp, locked, __ATOMIC_ACQUIRE);
    if ((stamp & locked) == 0) return stamp;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
}

void put(Note& to, const Note& note) {
  __atomic_store_n(&to.place, note.place, __ATOMIC_RELAXED);
  __atomic_store_n(&to.stamp, note.stamp, __ATOMIC_RELAXED);
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

struct Visit {
  Cell& cell;
  const Note& last;  // write, without the lock
  const Note& me;
  const BlockState& state;
  std::uint64_t floor;
  int farthest;  // two threads can be

  bool is_old(const Note& note) const { return note.stamp < floor; }

  bool conflicts(const Note& before) const {
    return !is_old(before) && (before.bytes() & me.bytes()) != 0 &&
           !(before.is_atomic() && me.is_atomic()) && !ordered(before, state, me.thread());
  }

  // What is ordered before me need not be kept, as long as whoever comes later is ordered with it
  // through me: within a block.
  bool replaceable(const Note& note) const {
    return is_old(note) || (note.block() == state.index && ordered(note, state, me.thread()));
  }

  void keep_read() const {
    if (replaceable(cell.read)) {
      put(cell.read, me);
      return;
    }
    if (!replaceable(cell.read2) && distance(cell.read, me) <= distance(cell.read, cell.read2)) {
      return;
    }
    Note note = me;
    if (distance(cell.read, me) >= farthest) note.stamp |= Note::far_flag;
    put(cell.read2, note);
  }

  void keep_write() const {
    // An atomic operation must not hide the thread's own plain write from the others.
    const bool hidden = same_thread(last, me) && me.is_atomic() && !last.is_atomic();
    if (!is_old(last) && hidden) put(cell.write2, last);
    if (!is_old(last) && !same_thread(last, me) && !ordered(last, state, me.thread()) &&
        (is_old(cell.write2) || distance(last, me) >= distance(cell.write2, me))) {
      put(cell.write2, last);
    }
    // Reading first is how loops around atomicCAS begin: the read is a part of it.
    for (Note* read : {&cell.read, &cell.read2}) {
      if (me.is_atomic() && same_thread(*read, me)) read->stamp |= Note::atomic_flag;
    }
  }
};

struct Watch {
  std::uint64_t floor;  // stamps below are history
  int farthest;         // that two threads can be apart: 2 in one block, 3 in several
  bool crowded;
};

// Enters an access into the word's cell, and compares it with those before.
Conflict meet_cell(Cell& cell, const Note& me, bool write, const Watch& watch,
                   const BlockState& state) {
  const std::uint64_t stamp = watch.crowded ? lock(cell) : cell.write.stamp;
  const Note last{stamp, cell.write.place};
  const Visit visit{cell, last, me, state, watch.floor, watch.farthest};
  Conflict conflict;
  for (const Note* note : {&last, static_cast<const Note*>(&cell.write2)}) {
    if (!conflict.found && visit.conflicts(*note)) conflict = {*note, true, true};
  }
  if (write) {
    for (const Note* note : {&cell.read, &cell.read2}) {
      if (!conflict.found && visit.conflicts(*note)) conflict = {*note, true, false};
    }
    visit.keep_write();
    cell.write.place = me.place;
  } else {
    visit.keep_read();
  }
  // Unlocks.
  __atomic_store_n(&cell.write.stamp, write ? me.stamp : stamp, __ATOMIC_RELEASE);
  return conflict;
}

}  // namespace

void meet_cells(const Area& area, const Access& access) {
  const Block& block = current_block();
  const BlockState& state = state_of(block);
  const bool shared = &area == &state.shared;
  const bool own_block = shared && !area.crowded;
  if (access.how == How::atomic) forgive_reads(access.address);
  const unsigned thread = rank_of_running(block);
  // A volatile variable in global memory is how old programs spell an atomic.
  const bool strong = access.how == How::atomic || access.how == How::atomic_store ||
                      (access.how == How::volatile_ && !shared);
  Note me{stamp_here(state, thread, 0) | (strong ? Note::atomic_flag : 0) |
              (access.how == How::bulk ? Note::bulk_flag : 0),
          reinterpret_cast<std::uint64_t>(access.pc) << 17 | state.whose};
  const bool one_block = own_block || block.grid->block_count == 1;
  const Watch watch{std::max(own_block ? state.floor : state.grid_floor, area.since),
                    one_block ? 2 : 3, area.crowded};
  const std::size_t begin = access.address - area.begin, end = begin + access.size;
  for (std::size_t at = begin; at < end;) {
    const std::size_t next = std::min((at & ~std::size_t{3}) + 4, end);
    const std::uint64_t bytes = ((1u << (next - at)) - 1u) << (at & 3u);
    me.stamp = (me.stamp & ~(std::uint64_t{15} << 10)) | bytes << 10;
    const Conflict conflict = meet_cell(area.cells[at / 4], me, access.write, watch, state);
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
