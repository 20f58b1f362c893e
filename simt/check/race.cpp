// Which accesses are ordered.
//
// Threads of a block are ordered by its barriers, those of a warp also by warp operations, blocks
// by grid and cluster barriers. A fence after the one access and an atomic before the other order
// them too, wherever in the block (in the warp, within a block) they were made: that is more than a
// GPU promises, so that no correct use of flags and counters is called a race.

#include "state.h"

namespace simt::check {
namespace {

bool ordered(const Access& before, const Access& now, const BlockState& state) {
  if (before.time < state.grid->met.load(std::memory_order_relaxed)) return true;
  if (before.block != now.block) {
    const auto* fences = state.grid->fences.load(std::memory_order_acquire);
    return fences != nullptr && before.time < state.acquire &&
           before.time < fences[before.block].load(std::memory_order_relaxed);
  }
  if (before.thread == now.thread || before.time < state.barrier) return true;
  const unsigned warp = before.thread >> 5, my_warp = now.thread >> 5;
  if (warp == my_warp && before.time < state.warp_met[warp]) return true;
  return before.time < state.warp_fence[warp] && before.time < state.warp_acquire[my_warp];
}

bool conflict(const Access& before, const Access& now, const BlockState& state) {
  return before.valid && (before.bytes & now.bytes) != 0 && !(before.atomic && now.atomic) &&
         !before.loose && !now.loose && !ordered(before, now, state);
}

// How far apart two threads are: what orders them is the rarer, the farther they are.
int distance(const Access& a, const Access& b) {
  if (a.block != b.block) return 3;
  if (a.thread >> 5 != b.thread >> 5) return 2;
  return a.thread != b.thread;
}

void keep_read(Cell& cell, const Access& me, const BlockState& state) {
  Access& first = cell.read[0];
  Access& second = cell.read[1];
  if (!first.valid || (first.block == me.block && ordered(first, me, state))) {
    first = me;
  } else if (!second.valid || (second.block == me.block && ordered(second, me, state)) ||
             distance(first, me) > distance(first, second)) {
    second = me;
  }
}

}  // namespace

Conflict meet_cell(Cell& cell, std::uint32_t owner, const Access& me, bool write,
                   const BlockState& state) {
  while (cell.lock.exchange(1, std::memory_order_acquire) != 0) {
  }
  if (cell.owner != owner) {
    cell.owner = owner;
    cell.write = cell.read[0] = cell.read[1] = Access{};
  }
  Conflict other{};
  if (conflict(cell.write, me, state)) {
    other = {cell.write, true};
  } else if (write) {
    for (const Access& read : cell.read) {
      if (conflict(read, me, state)) other = {read, false};
    }
  }
  if (write) {
    // Reading first is how loops around atomicCAS begin: the read is a part of it.
    for (Access& read : cell.read) {
      if (me.atomic && read.block == me.block && read.thread == me.thread) read.atomic = 1;
    }
    cell.write = me;
  } else {
    keep_read(cell, me, state);
  }
  cell.lock.store(0, std::memory_order_release);
  return other;
}

void note_fence() {
  Block& block = current_block();
  BlockState& state = state_of(block);
  auto* fences = state.grid->fences.load(std::memory_order_acquire);
  if (fences == nullptr) {
    auto* fresh_fences = reserve<std::atomic<std::uint32_t>>(block.grid->block_count);
    if (fresh_fences == nullptr) return;
    if (state.grid->fences.compare_exchange_strong(fences, fresh_fences)) {
      fences = fresh_fences;
    } else {
      munmap(fresh_fences, block.grid->block_count * sizeof(*fresh_fences));
    }
  }
  const std::uint32_t now = state.grid->tick();
  state.warp_fence[rank_of_running(block) >> 5] = now;
  fences[state.index].store(now, std::memory_order_relaxed);
}

void note_acquire() {
  Block& block = current_block();
  BlockState& state = state_of(block);
  state.acquire = state.warp_acquire[rank_of_running(block) >> 5] = state.grid->tick();
}

}  // namespace simt::check
