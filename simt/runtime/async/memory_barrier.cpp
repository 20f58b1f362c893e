#include <simt/fault.h>
#include <simt/memory_barrier.h>
#include <simt/shared.h>

#include <sched.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "async/state.h"
#include "faults/report.h"
#include "scheduler/block.h"
#include "scheduler/cluster.h"
#include "scheduler/grid.h"
#include "scheduler/shared_arena.h"
#include "tools/check_hooks.h"

namespace simt {
namespace {

constexpr unsigned count_bits = 20, phase_bits = 3;
constexpr int tx_offset = 1 << 20;

using Fields = BarrierFields;

Fields unpack(MemoryBarrier word) {
  constexpr std::uint64_t count_mask = (1u << count_bits) - 1;
  Fields f;
  f.expected = static_cast<unsigned>(word & count_mask);
  f.pending = static_cast<unsigned>(word >> count_bits & count_mask);
  f.phase = static_cast<unsigned>(word >> 2 * count_bits & ((1u << phase_bits) - 1));
  f.bytes = static_cast<int>(word >> (2 * count_bits + phase_bits)) - tx_offset;
  return f;
}

MemoryBarrier pack(const Fields& f) {
  return static_cast<std::uint64_t>(f.expected) |
         static_cast<std::uint64_t>(f.pending) << count_bits |
         static_cast<std::uint64_t>(f.phase % (1u << phase_bits)) << 2 * count_bits |
         static_cast<std::uint64_t>(f.bytes + tx_offset) << (2 * count_bits + phase_bits);
}

MemoryBarrier load(const MemoryBarrier* barrier) {
  return __atomic_load_n(barrier, __ATOMIC_SEQ_CST);
}

// Only threads of this block can reach it, so that they need not look at it again and again.
bool is_private(const Block& block, const MemoryBarrier* barrier) {
  return block.cluster == nullptr && is_shared(barrier);
}

[[noreturn, gnu::cold, gnu::noinline]] void misuse(const std::string& what, Site site) {
  fault(cudaErrorIllegalInstruction, what, site);
}

// To the checks each phase is an object of its own, so that who has waited for one is not taken to
// know of arrivals in the next: one of the word's bytes stands for it.
const void* phase_object(const MemoryBarrier* barrier, unsigned phase) {
  return reinterpret_cast<const char*>(barrier) + phase % sizeof *barrier;
}

// What the running thread did is known to whoever finds the phase over.
void tell_arrival(const MemoryBarrier* barrier, unsigned phase) {
  if (check_hooks != nullptr && in_kernel()) check_hooks->release(phase_object(barrier, phase));
}

// The running thread knows what was done before the arrivals.
void tell_over(const MemoryBarrier* barrier, unsigned phase) {
  if (check_hooks != nullptr && in_kernel()) check_hooks->acquire(phase_object(barrier, phase));
}

// Copies land after all arrivals, whoever makes the last one.
void land_copies(Block& block, const MemoryBarrier* barrier, unsigned phase) {
  auto& copies = block.bound_copies;
  const auto is_bound = [&](const BoundCopy& copy) { return copy.barrier == barrier; };
  if (std::none_of(copies.begin(), copies.end(), is_bound)) return;
  tell_over(barrier, phase);
  for (const BoundCopy& copy : copies) {
    if (!is_bound(copy)) continue;
    std::memcpy(copy.to, copy.from, copy.size);
    if (check_hooks != nullptr) check_hooks->copy_landed(copy.to, copy.from, copy.size, copy.pc);
  }
  std::erase_if(copies, is_bound);
  tell_arrival(barrier, phase);
}

void phase_ended(const MemoryBarrier* barrier, unsigned phase) {
  if (!in_kernel()) return;
  land_copies(current_block(), barrier, phase);
  if (check_hooks != nullptr) check_hooks->phase_ended(barrier, phase_object(barrier, phase));
  wake_watchers(barrier);
}

// Fresh shared memory is all zeros or all ones, and a barrier never is.
void check_usable(const MemoryBarrier* barrier, Site site) {
  if (reinterpret_cast<std::uintptr_t>(barrier) % sizeof *barrier != 0) {
    fault(cudaErrorMisalignedAddress, "a barrier that does not begin at a multiple of 8 bytes",
          site);
  }
  const MemoryBarrier word = load(barrier);
  if (word == 0 || word == ~MemoryBarrier{0}) {
    misuse("a barrier in memory that was never initialised", site);
  }
}

// Changes the fields in one step and ends the phase if nothing is missing; the fields before.
template <class Change>
Fields update(MemoryBarrier* barrier, const Change& change) {
  MemoryBarrier word = load(barrier);
  for (;;) {
    const Fields before = unpack(word);
    Fields f = before;
    change(f);
    const bool ends = f.pending == 0 && f.bytes == 0;
    if (ends) {
      f.pending = f.expected;
      ++f.phase;
    }
    if (__atomic_compare_exchange_n(barrier, &word, pack(f), false, __ATOMIC_SEQ_CST,
                                    __ATOMIC_SEQ_CST)) {
      if (ends) {
        phase_ended(barrier, before.phase);
      } else if (f.pending == 0 && before.pending != 0) {
        wake_watchers(barrier);  // copies may be all that is missing
      }
      return before;
    }
  }
}

template <class Over>
void wait_until(const MemoryBarrier* barrier, const Over& is_over, Site site) {
  if (is_over()) return;
  if (!in_kernel()) {
    while (!is_over()) sched_yield();
    return;
  }
  Block& block = current_block();
  block.park();
  while (!is_over()) {
    if (is_shared(barrier)) {
      land_due_copies(block, const_cast<MemoryBarrier*>(barrier));
      if (is_over()) return;
      block.watch(barrier, site);
    } else {
      if (block.grid->aborted.load(std::memory_order_relaxed)) block.leave();
      block.yield();
    }
  }
}

// As wait_until, but it may give up where that lets nobody else go on either.
template <class Over>
bool poll_until(const MemoryBarrier* barrier, const Over& is_over, Site site) {
  if (in_kernel()) check_usable(barrier, site);
  if (is_over()) return true;
  if (!in_kernel() || !is_shared(barrier)) {
    spin_hint();
    return false;
  }
  Block& block = current_block();
  block.park();
  for (;;) {
    land_due_copies(block, const_cast<MemoryBarrier*>(barrier));
    if (is_over()) return true;
    if (!block.watch(barrier, site, true)) return is_over();
  }
}

bool is_over(const MemoryBarrier* barrier, unsigned phase) {
  if (unpack(load(barrier)).phase == phase) return false;
  tell_over(barrier, phase);
  return true;
}

bool parity_is_over(const MemoryBarrier* barrier, unsigned parity) {
  const unsigned present = unpack(load(barrier)).phase;
  if ((present & 1u) == (parity & 1u)) return false;
  tell_over(barrier, present - 1);
  return true;
}

}  // namespace

void give_to_phase(const MemoryBarrier* barrier) {
  tell_arrival(barrier, fields_of(barrier).phase);
}

void take_from_phase(const MemoryBarrier* barrier) {
  tell_over(barrier, fields_of(barrier).phase);
}

BarrierFields fields_of(const MemoryBarrier* barrier) {
  return unpack(load(barrier));
}

std::string describe_memory_barrier(const Block& block, const void* at) {
  const auto* barrier = static_cast<const MemoryBarrier*>(at);
  const Fields f = fields_of(barrier);
  std::string text = "a barrier in memory (phase " + std::to_string(f.phase) + ": " +
                     std::to_string(f.expected - f.pending) + " of " + std::to_string(f.expected) +
                     " arrivals";
  const std::size_t coming = bytes_under_way(block, barrier);
  if (f.bytes > 0) text += ", " + std::to_string(f.bytes) + " bytes missing";
  if (f.bytes < 0) text += ", " + std::to_string(-f.bytes) + " bytes more than were announced";
  if (coming != 0) text += ", copies of " + std::to_string(coming) + " bytes under way";
  return text + ")";
}

bool Block::watch(const void* word, Site site, bool polls_only) {
  Thread& me = threads[current];
  me.watched = word;
  me.result = 1;
  append(*this, watching, current);
  wait(me, polls_only ? Wait::poll : Wait::watch, site);
  return me.result != 0;
}

Block* Block::shared_owner(const void* address) {
  if (arena_holds(*this, address)) return this;
  for (unsigned rank = 0; cluster != nullptr && rank < cluster->count(); ++rank) {
    if (arena_holds(cluster->block(rank), address)) return &cluster->block(rank);
  }
  return nullptr;
}

void wake_watchers(const MemoryBarrier* barrier) {
  if (!in_kernel()) return;
  Block& block = current_block();
  block.polls = 0;
  Block* const owner = block.shared_owner(barrier);
  if (owner == nullptr || owner == &block) {
    block.wake(barrier);
  } else {
    block.cluster->tell(owner->cluster_rank);
  }
}

void Block::wake_all() {
  make_ready(watching);
}

bool Block::release_poller() {
  if (watching.empty() || polls > 2 * parked + 8) return false;
  ThreadList rest;
  bool found = false;
  while (!watching.empty()) {
    const unsigned id = watching.first;
    watching.first = threads[id].next;
    if (!found && threads[id].wait == Wait::poll) {
      threads[id].result = 0;
      make_ready(id);
      found = true;
    } else {
      append(*this, rest, id);
    }
  }
  watching = rest;
  polls += found;
  return found;
}

void Block::wake(const void* word) {
  ThreadList all = watching;
  watching = {};
  while (!all.empty()) {
    const unsigned id = all.first;
    all.first = threads[id].next;
    if (threads[id].watched == word) {
      make_ready(id);
    } else {
      append(*this, watching, id);
    }
  }
}

void memory_barrier_init(MemoryBarrier* barrier, unsigned expected, Site site) {
  if (expected == 0 || expected > max_arrivals) {
    misuse("a barrier that expects " + std::to_string(expected) + " arrivals; it can be 1 to " +
               std::to_string(max_arrivals),
           site);
  }
  if (check_hooks != nullptr && in_kernel() && is_shared(barrier)) {
    check_hooks->barrier_made(barrier, __builtin_return_address(0));
  } else if (check_hooks != nullptr) {
    check_hooks->written(barrier, sizeof *barrier);
  }
  __atomic_store_n(barrier, pack({expected, expected, 0, 0}), __ATOMIC_SEQ_CST);
}

unsigned memory_barrier_arrive(MemoryBarrier* barrier, unsigned count, bool drop, Site site,
                               Completion completion) {
  if (check_hooks != nullptr)
    check_hooks->barrier_used(barrier, false, __builtin_return_address(0));
  if (in_kernel()) check_usable(barrier, site);
  tell_arrival(barrier, unpack(load(barrier)).phase);
  const Fields before = update(barrier, [&](Fields& f) {
    if (count > f.pending) {
      misuse("arrives " + std::to_string(count) + " times at a barrier that waits for " +
                 std::to_string(f.pending) + " more",
             site);
    }
    f.pending -= count;
    // Nobody else can arrive in this phase now.
    if (f.pending == 0 && completion.call != nullptr) {
      tell_over(barrier, f.phase);
      completion.call(completion.with);
      tell_arrival(barrier, f.phase);
      completion.call = nullptr;
    }
    if (drop) f.expected -= std::min(count, f.expected);
  });
  return before.phase;
}

void memory_barrier_expect(MemoryBarrier* barrier, int bytes, Site site) {
  if (check_hooks != nullptr && bytes > 0) {
    check_hooks->barrier_used(barrier, false, __builtin_return_address(0));
  }
  if (in_kernel()) check_usable(barrier, site);
  update(barrier, [&](Fields& f) {
    f.bytes += bytes;
    if (f.bytes <= -tx_offset || f.bytes >= tx_offset) {
      misuse("a barrier that expects " + std::to_string(f.bytes) + " bytes", site);
    }
  });
}

bool memory_barrier_poll(const MemoryBarrier* barrier, unsigned phase, Site site) {
  if (check_hooks != nullptr)
    check_hooks->barrier_used(barrier, false, __builtin_return_address(0));
  return poll_until(
      barrier, [&] { return is_over(barrier, phase); }, site);
}

bool memory_barrier_poll_parity(const MemoryBarrier* barrier, unsigned parity, Site site) {
  if (check_hooks != nullptr)
    check_hooks->barrier_used(barrier, false, __builtin_return_address(0));
  const bool over = poll_until(
      barrier, [&] { return parity_is_over(barrier, parity); }, site);
  if (over && check_hooks != nullptr && in_kernel())
    check_hooks->phase_seen(barrier, __builtin_return_address(0));
  return over;
}

unsigned memory_barrier_pending(const MemoryBarrier* barrier) {
  return fields_of(barrier).pending;
}

void memory_barrier_invalidate(MemoryBarrier* barrier, Site site) {
  check_usable(barrier, site);
  __atomic_store_n(barrier, 0, __ATOMIC_SEQ_CST);
}

void memory_barrier_add_pending(MemoryBarrier* barrier, Site site) {
  check_usable(barrier, site);
  update(barrier, [](Fields& f) { ++f.pending; });
}

bool memory_barrier_is_over(const MemoryBarrier* barrier, unsigned phase) {
  spin_hint();
  return is_over(barrier, phase);
}

bool memory_barrier_parity_is_over(const MemoryBarrier* barrier, unsigned parity) {
  spin_hint();
  return parity_is_over(barrier, parity);
}

void memory_barrier_wait(const MemoryBarrier* barrier, unsigned phase, Site site) {
  wait_until(
      barrier, [&] { return is_over(barrier, phase); }, site);
}

void memory_barrier_wait_parity(const MemoryBarrier* barrier, unsigned parity, Site site) {
  wait_until(
      barrier, [&] { return parity_is_over(barrier, parity); }, site);
}

void memory_barrier_copy(MemoryBarrier* barrier, void* to, const void* from, std::size_t size) {
  const void* const pc = __builtin_return_address(0);
  if (in_kernel() && is_private(current_block(), barrier)) {
    if (check_hooks != nullptr) check_hooks->copy_began(to, from, size, pc);
    current_block().bound_copies.push_back({barrier, to, from, size, pc});
    return;
  }
  std::memcpy(to, from, size);
  if (check_hooks == nullptr || !in_kernel()) return;
  check_hooks->copy_landed(to, from, size, pc);
  tell_arrival(barrier, unpack(load(barrier)).phase);
}

}  // namespace simt
