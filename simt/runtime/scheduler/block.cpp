#include "scheduler/block.h"

#include <sched.h>

#include <algorithm>

#include "async/state.h"
#include "faults/report.h"
#include "faults/timeout.h"
#include "scheduler/cluster.h"
#include "scheduler/grid.h"
#include "scheduler/shared_arena.h"
#include "tools/check_hooks.h"

namespace simt {

Block::Block(FiberPool& pool) : BlockFront{}, fibers(pool), threads{}, warps{}, barriers{} {
  make_arena(*this);
  make_bulk(*this);
  make_products(*this);
  reset();
}

Block::~Block() {
  free_arena(*this);
}

void Block::set_lanes() {
  for (unsigned first = 0; first < thread_count; first += 32) {
    const unsigned left = thread_count - first;
    warps[first / 32].lanes = left >= 32 ? 0xffffffffu : (1u << left) - 1;
  }
}

// A block that ends as it should leaves all this as it found it; one that was abandoned does not.
void Block::reset() {
  current = fresh;
  parked = 0;
  asking_count = 0;
  open_barriers = 0;
  ready = {};
  watching = {};
  abandoned = false;
  splitting = false;
  unwatched = false;
  for (Warp& warp : warps) warp.live = warp.asking = warp.group_count = 0;
  for (BarrierState& barrier : barriers) {
    barrier.arrived = barrier.expected = barrier.trues = 0;
    barrier.waiting = {};
  }
  for (Thread& thread : threads) {
    thread.wait = Wait::nothing;
    thread.arrival[0] = thread.arrival[1] = 0;
  }
}

void Block::run_block(std::uint64_t index) {
  const dim3& size = grid->config.grid;
  blockIdx.x = static_cast<unsigned>(index % size.x);
  const std::uint64_t row = index / size.x;
  blockIdx.y = static_cast<unsigned>(row % size.y);
  blockIdx.z = static_cast<unsigned>(row / size.y);
  next_thread = 0;
  idle_yields = 0;
  last_spinner = fresh;
  arrive_wait = {};
  bound_copies.clear();
  polls = 0;
  events_seen = cluster != nullptr ? cluster->events(cluster_rank) : 0;
  begin_bulk(*this);
  begin_products(*this);
  ++number;
  if (check_hooks != nullptr) check_hooks->block_began(*this);
  if (index == grid->debug_block) simt_debug_block_began(this);
  start_fiber(main);
  if (interrupted) {
    interrupted = false;
    take_interrupts_again();
  }
  end_products(*this);
  end_bulk(*this);
  if (check_hooks != nullptr) check_hooks->block_ended(*this);
  if (abandoned) {
    fibers.reset(this);
    reset();
  }
  if (!output.empty()) {
    grid->keep_output(index, in_warp_order(output, printed));
    output.clear();
    printed.clear();
  }
  // Stale data of this block must not look like good data to the next one. The blocks of a cluster
  // may still be reading it.
  if (cluster == nullptr) {
    wipe_arena(*this, *grid);
  } else {
    leave_cluster();
  }
  if (grid->config.cooperative) grid->block_left();
}

void Block::run_clusters() {
  std::uint64_t number;
  for (bool first = true;; first = false) {
    const bool more = cluster->next(*this, number);
    if (!first) wipe_arena(*this, *grid);
    if (!more) return;
    run_block(grid->block_of(number, cluster_rank));
  }
}

void Block::run_blocks(Grid& work, Cluster* team, unsigned rank) {
  grid = &work;
  cluster = team;
  cluster_size = work.config.cluster;
  cluster_rank = rank;
  thread_count = work.config.block.x * work.config.block.y * work.config.block.z;
  grid_generation = work.generation;
  blockDim = work.config.block;
  gridDim = work.config.grid;
  in_loops = may_split();
  front = this;
  set_lanes();
  if (cluster != nullptr) {
    run_clusters();
    grid = nullptr;
    return;
  }
  for (;;) {
    const std::uint64_t first = work.next_block.fetch_add(work.batch, std::memory_order_relaxed);
    const std::uint64_t end = std::min(first + work.batch, work.block_count);
    if (first >= end) break;
    for (std::uint64_t index = first; index < end; ++index) {
      if (work.aborted.load(std::memory_order_relaxed)) break;
      run_block(index);
    }
    if (work.aborted.load(std::memory_order_relaxed)) break;
  }
  grid = nullptr;
}

void runner_main() {
  for (;;) {
    Block& block = current_block();
    block.grid->kernel.run(block.grid->kernel.call, block);
    block.retire_runner();
  }
}

void Block::retire_runner() {
  Fiber* const fiber = running;
  if (!ready.empty() || parked == 0 || release_poller() || await_cluster()) {
    // Given back first, but not reused before the switch has saved its context.
    fibers.give(fiber);
    switch_to_next(fiber->context);
    return;
  }
  stalled();  // the fiber still belongs to the block, so it is reset with it
}

void Block::start_fiber(Context& from) {
  running = fibers.take(this);
  current = fresh;
  switch_context(from, running->context);
}

void Block::switch_to_no_ready_thread(Context& from) {
  if (next_thread < thread_count) {
    start_fiber(from);
  } else if (parked == 0) {
    switch_context(from, main);
  } else if (release_poller() || await_cluster()) {
    switch_to_next(from);
  } else {
    stalled();
  }
}

void Block::stalled() {
  fault_quietly(cudaErrorLaunchTimeout, deadlock_report(*this));
}

void Block::leave() {
  abandoned = true;
  switch_context(abandoned_context_, main);
  __builtin_unreachable();
}

void Block::make_ready(unsigned id) {
  threads[id].wait = Wait::nothing;
  append(*this, ready, id);
}

void Block::make_ready_next(unsigned id) {
  Thread& thread = threads[id];
  thread.wait = Wait::nothing;
  if (ready.empty()) return append(*this, ready, id);
  thread.next = ready.first;
  ready.first = static_cast<std::uint16_t>(id);
}

void Block::make_ready(ThreadList& list) {
  if (list.empty()) return;
  if (ready.empty()) {
    ready = list;
  } else {
    threads[ready.last].next = list.first;
    ready.last = list.last;
  }
  list = {};
}

bool Block::nobody_can_go_on(unsigned w) const {
  // Lanes that have not started can go on, and so can those that are parked but not waiting.
  if ((warps[w].lanes & unstarted_lanes(w)) != 0) return false;
  for (unsigned lanes = warps[w].live; lanes != 0; lanes &= lanes - 1) {
    if (!is_waiting(threads[w * 32 + static_cast<unsigned>(__builtin_ctz(lanes))])) return false;
  }
  return true;
}

void Block::answer_if_nobody_can_go_on(unsigned w) {
  if (warps[w].asking != 0 && nobody_can_go_on(w)) answer_active_mask(w);
}

void Block::yield() {
  ++idle_yields;
  if (idle_yields % 16 == 0) sched_yield();
  if (splitting) return;  // the others' turn comes with the next piece of the kernel
  if (asking_count != 0 && idle_yields > 4 * thread_count) {
    // Only spinning threads are left: whoever asks for the active lanes need not wait for them.
    idle_yields = 0;
    for (unsigned w = 0; w * 32 < thread_count; ++w) {
      if (warps[w].asking != 0) answer_active_mask(w);
    }
  }
  const bool can_start = next_thread < thread_count;
  look_at_cluster();
  if (!can_start && ready.empty()) {
    sched_yield();
    return;
  }
  park();
  const unsigned id = current;
  const uint3 index = threadIdx;
  Fiber* const fiber = running;
  Thread& me = threads[id];
  me.wait = Wait::nothing;
  me.file = nullptr;
  append(*this, ready, id);
  if (can_start) {
    // Threads that have not begun come first: the ready ones may all be spinning.
    start_fiber(me.context);
  } else {
    switch_to_next(me.context);
  }
  running = fiber;
  current = id;
  threadIdx = index;
}

void Block::after_exit() {
  const unsigned id = rank_of_running(*this);
  const unsigned w = id >> 5;
  Warp& warp = warps[w];
  if (current != fresh) {
    forget_arrivals(threads[id]);
    warp.live &= ~(1u << (id & 31u));
    --parked;
    current = fresh;
  }
  idle_yields = 0;
  for (std::uint64_t open = open_barriers; open != 0; open &= open - 1) {
    BarrierState& barrier = barriers[static_cast<unsigned>(__builtin_ctzll(open))];
    if (barrier.expected == 0 && barrier.arrived + exited_count() == thread_count) {
      release(barrier);
    }
  }
  complete(BarrierScope::block);
  complete(BarrierScope::cluster);
  if (warp.group_count != 0) {
    const unsigned alive = alive_lanes(w);
    for (unsigned g = warp.group_count; g-- > 0;) {
      if ((warp.groups[g].mask & alive & ~warp.groups[g].arrived) == 0) finish(w, g);
    }
  }
  answer_if_nobody_can_go_on(w);
}

void thread_left(BlockFront& block) {
  if (block.parked == split_is_over) {
    block.parked = 0;
    return;
  }
  static_cast<Block&>(block).after_exit();
}

void look_around() {
  Block& block = current_block();
  if (block.grid->aborted.load(std::memory_order_relaxed)) block.leave();
  // Only a thread that comes here twice in a row has called spin_hint often.
  const unsigned id = rank_of_running(block);
  if (block.last_spinner == id) block.yield();
  block.last_spinner = id;
}

}  // namespace simt
