#include "block.h"

#include <sched.h>

#include <cstring>

#include "grid.h"
#include "report.h"
#include "shared_arena.h"

__thread uint3 threadIdx;
__thread uint3 blockIdx;
__thread dim3 blockDim;
__thread dim3 gridDim;

namespace simt {

__thread BlockFront* front;

Block::Block(FiberPool& pool) : BlockFront{}, fibers(pool), threads{}, warps{}, barriers{} {
  make_arena(*this);
}

Block::~Block() { free_arena(*this); }

void Block::start(std::uint64_t index) {
  const dim3& grid_size = grid->config.grid;
  blockIdx.x = static_cast<unsigned>(index % grid_size.x);
  blockIdx.y = static_cast<unsigned>(index / grid_size.x % grid_size.y);
  blockIdx.z = static_cast<unsigned>(index / grid_size.x / grid_size.y);
  next_thread = 0;
  current = 0;
  waiting = 0;
  exited_count = 0;
  spins = 0;
  idle_yields = 0;
  next_index = uint3{0, 0, 0};
  ready_head_ = ready_tail_ = 0;
  const unsigned warp_count = (thread_count + 31) / 32;
  for (unsigned w = 0; w < warp_count; ++w) {
    const unsigned left = thread_count - w * 32;
    exited[w] = 0;
    warps[w].lanes = left >= 32 ? 0xffffffffu : (1u << left) - 1;
    warps[w].waiting = warps[w].asking = warps[w].group_count = 0;
  }
  for (BarrierState& barrier : barriers) {
    barrier.arrived = barrier.expected = barrier.trues = 0;
    barrier.first = barrier.last = no_thread;
  }
}

void Block::run_blocks(Grid& work) {
  grid = &work;
  thread_count = work.config.block.x * work.config.block.y * work.config.block.z;
  grid_generation = work.generation;
  blockDim = work.config.block;
  gridDim = work.config.grid;
  front = this;
  abandoned = false;
  while (!work.aborted.load(std::memory_order_relaxed)) {
    const std::uint64_t index = work.next_block.fetch_add(1, std::memory_order_relaxed);
    if (index >= work.block_count) break;
    start(index);
    running = &main;
    switch_to(fibers.take(this));
    if (abandoned) {
      fibers.reset(this);
      abandoned = false;
    }
    if (!output.empty()) {
      work.keep_output(index, std::move(output));
      output.clear();
    }
    // Stale data of this block must not look like good data to the next one.
    wipe_arena(*this, work);
    if (work.config.cooperative) work.block_left();
  }
  grid = nullptr;
}

void Block::switch_to(Fiber* to) {
  Fiber* const from = running;
  if (to == from) return;
  running = to;
  const auto arrived = boost::context::detail::jump_fcontext(to->context, from);
  static_cast<Fiber*>(arrived.data)->context = arrived.fctx;
}

void runner_main(boost::context::detail::transfer_t from) {
  static_cast<Fiber*>(from.data)->context = from.fctx;
  for (;;) {
    Block& block = current_block();
    block.grid->kernel.run(block.grid->kernel.call, block);
    block.retire_runner();
  }
}

void Block::retire_runner() {
  // Picking comes first: if it finds a deadlock, this fiber still belongs to the block.
  Fiber* const next = pick();
  fibers.give(running);
  switch_to(next);
}

Fiber* Block::pick() {
  if (ready_head_ != ready_tail_) {
    const unsigned id = ready_[ready_head_++ % max_threads];
    return threads[id].fiber;
  }
  if (next_thread < thread_count) return fibers.take(this);
  if (exited_count == thread_count) return &main;
  stalled();
}

void Block::stalled() {
  fault_quietly(cudaErrorLaunchTimeout, deadlock_report(*this));
}

void Block::leave() {
  abandoned = true;
  switch_to(&main);
  __builtin_unreachable();
}

void Block::resume(unsigned id) {
  current = id;
  threadIdx = threads[id].index;
  spins = 0;
}

void Block::make_ready(unsigned id) {
  threads[id].wait = Wait::nothing;
  warp_of(id).waiting &= ~(1u << (id & 31u));
  --waiting;
  ready_[ready_tail_++ % max_threads] = static_cast<std::uint16_t>(id);
}

void Block::wait(Thread& me, Wait why, Site site) {
  const unsigned id = current;
  me.wait = why;
  me.site = site;
  me.index = threadIdx;
  me.fiber = running;
  ++waiting;
  idle_yields = 0;
  Warp& warp = warp_of(id);
  warp.waiting |= 1u << (id & 31u);
  if (warp.asking != 0 && (alive_lanes(id >> 5) & ~warp.waiting) == 0) answer_active_mask(id >> 5);
  switch_to(pick());
  resume(id);
}

void Block::yield() {
  ++idle_yields;
  if (idle_yields > 4 * thread_count) {
    // Only spinning threads are left: whoever asks for the active lanes need not wait for them.
    for (unsigned w = 0; w * 32 < thread_count; ++w) {
      if (warps[w].asking != 0) answer_active_mask(w);
    }
  }
  if (idle_yields % 16 == 0) sched_yield();
  const bool can_start = next_thread < thread_count;
  if (!can_start && ready_head_ == ready_tail_) {
    sched_yield();
    return;
  }
  const unsigned id = current;
  Thread& me = threads[id];
  me.index = threadIdx;
  me.fiber = running;
  ready_[ready_tail_++ % max_threads] = static_cast<std::uint16_t>(id);
  // Threads that have not begun come first: the ready ones may all be spinning.
  switch_to(can_start ? fibers.take(this) : pick());
  resume(id);
}

void Block::after_exit(unsigned warp_index) {
  idle_yields = 0;
  for (BarrierState& barrier : barriers) {
    if (barrier.arrived != 0 && barrier.expected == 0 &&
        barrier.arrived + exited_count == thread_count) {
      release(barrier);
    }
  }
  Warp& warp = warps[warp_index];
  const unsigned alive = alive_lanes(warp_index);
  for (unsigned g = warp.group_count; g-- > 0;) {
    if ((warp.groups[g].mask & alive & ~warp.groups[g].arrived) == 0) finish(warp_index, g);
  }
  if (warp.asking != 0 && (alive & ~warp.waiting) == 0) answer_active_mask(warp_index);
}

void thread_left(BlockFront& block) {
  static_cast<Block&>(block).after_exit(block.current >> 5);
}

void look_around() {
  Block& block = current_block();
  if (block.grid->aborted.load(std::memory_order_relaxed)) block.leave();
  block.yield();
}

}  // namespace simt
