#pragma once

// A block while it runs: its threads, warps and barriers, and who goes on next.
//
// Threads run one after the other on the current fiber. One that must wait keeps its fiber and
// switches straight to the next: a thread that is ready, else a fresh fiber that starts the threads
// not begun yet, else (all have returned) back to the OS thread's own stack. When none of these
// exists, the block is deadlocked.

#include <simt/launch.h>
#include <simt/self.h>
#include <simt/sync.h>
#include <simt/warp.h>

#include <array>
#include <cstdint>
#include <string>

#include "fiber.h"

namespace simt {

struct Grid;

inline constexpr unsigned max_threads = 1024;
inline constexpr unsigned no_thread = max_threads;

enum class Wait : unsigned char { nothing, barrier, warp, active_mask };

struct Thread {
  Fiber* fiber;
  WarpArgs* args;  // operands of the warp operation it waits in
  Site site;
  uint3 index;
  unsigned mask;        // lanes its warp operation names
  unsigned next;        // next thread waiting at the same barrier
  int result;           // of the barrier or active_mask
  Wait wait;
  WarpOp op;
  unsigned char barrier;  // id of the barrier it waits at
};

// Lanes that have arrived at a warp operation with the same mask.
struct WarpGroup {
  unsigned mask;
  unsigned arrived;
  WarpOp op;
  Site site;
};

struct Warp {
  unsigned lanes;    // lanes the warp has; the last warp of a block may be partial
  unsigned waiting;  // lanes that wait for anything
  unsigned asking;   // lanes that wait for __activemask
  unsigned group_count;
  std::array<WarpGroup, 32> groups;
};

struct BarrierState {
  unsigned arrived;
  unsigned expected;  // 0: all threads that have not returned
  unsigned trues;     // arrivals whose predicate holds
  unsigned first, last;
  Barrier kind;
  Site site;  // of the first arrival
};

struct Block : BlockFront {
  explicit Block(FiberPool& fibers);
  ~Block();
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  // Runs blocks of the grid until none is left.
  void run_blocks(Grid& grid);

  // The running thread waits; the caller has noted for what. Returns when it was made ready.
  void wait(Thread& me, Wait why, Site site);
  void make_ready(unsigned id);
  void yield();

  // Leaves the block for good, from any of its stacks; never returns.
  [[noreturn]] void leave();

  Warp& warp_of(unsigned id) { return warps[id >> 5]; }
  unsigned alive_lanes(unsigned warp) const { return warps[warp].lanes & ~exited[warp]; }

  void release(BarrierState& barrier);
  void finish(unsigned warp, unsigned group);
  void answer_active_mask(unsigned warp);
  void after_exit(unsigned warp);
  void retire_runner();

  FiberPool& fibers;
  Grid* grid = nullptr;
  Fiber* running = nullptr;
  Fiber main;  // the OS thread's own stack
  unsigned idle_yields = 0;
  bool abandoned = false;
  char* arena = nullptr;
  std::size_t arena_size = 0;
  std::string output;  // what its threads printed

  std::array<Thread, max_threads> threads;
  std::array<Warp, 32> warps;
  std::array<BarrierState, 16> barriers;

 private:
  void start(std::uint64_t index);
  void switch_to(Fiber* to);
  Fiber* pick();
  void resume(unsigned id);
  [[noreturn]] void stalled();

  unsigned ready_head_ = 0, ready_tail_ = 0;
  std::array<std::uint16_t, max_threads> ready_;  // a ring; at most every thread is in it
};

inline Block& current_block() { return *static_cast<Block*>(front); }
inline Thread& current_thread() {
  Block& block = current_block();
  return block.threads[block.current];
}

// Entry of every fiber.
void runner_main(boost::context::detail::transfer_t from);

}  // namespace simt
