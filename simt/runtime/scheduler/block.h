#pragma once

// A block while it runs: its threads, warps and barriers, and who goes on next.
//
// Threads run one after the other on the current fiber. One that must wait is parked: it keeps its
// fiber and switches straight to the next, which is a thread that is ready, else a fresh fiber that
// starts the threads not begun yet, else (all have returned) the OS thread's own stack. When none
// of these exists, the block is deadlocked.

#include <simt/cluster.h>
#include <simt/launch.h>
#include <simt/self.h>
#include <simt/sync.h>
#include <simt/warp.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "printf/order.h"
#include "scheduler/context.h"
#include "scheduler/fiber.h"

namespace simt {

class Cluster;
struct Grid;

inline constexpr unsigned max_threads = 1024;
inline constexpr std::uint16_t no_thread = 0xffff;
// PTX's barriers, and behind them one for each tile of 64, 128, 256, 512 and 1024 threads.
inline constexpr unsigned named_barriers = 16;
inline constexpr unsigned all_barriers = named_barriers + 16 + 8 + 4 + 2 + 1;

// A thread that polls goes on without what it waits for when nobody else can go on.
enum class Wait : unsigned char { nothing, barrier, arrive_wait, warp, active_mask, watch, poll };

// A parked thread. One cache line: at a barrier this and the top of the stack are all that a switch
// touches.
struct alignas(64) Thread {
  Context context;
  const char* file;  // where it waits
  unsigned line;
  unsigned mask;        // lanes its warp operation names; or the barrier's epoch at its arrival
  WarpArgs* args;       // operands of its warp operation
  const void* watched;  // the word it waits for a change of
  int result;           // answer of active_mask
  std::uint16_t next;   // in the list of ready threads, or of those at the same barrier
  Wait wait;
  WarpOp op;
  unsigned char barrier;  // id of the barrier it waits at, or its BarrierScope
  unsigned char
      arrival[2];  // per BarrierScope: 0, or a mark of the phase it arrived in (see mark())
};

struct ThreadList {
  std::uint16_t first = no_thread;
  std::uint16_t last = no_thread;
  bool empty() const { return first == no_thread; }
};

// Lanes that have arrived at a warp operation with the same mask.
struct WarpGroup {
  unsigned mask;
  unsigned arrived;
  WarpOp op;
  Site site;
};

struct Warp {
  unsigned lanes;     // lanes the warp has; the last warp of a block may be partial
  unsigned live;      // lanes that are parked: had to wait at least once and have not returned
  unsigned asking;    // lanes that wait for __activemask
  unsigned meetings;  // its operations finished
  unsigned group_count;
  std::array<WarpGroup, 32> groups;
};

struct BarrierState {
  unsigned arrived;
  unsigned expected;  // 0: all threads that have not returned
  unsigned trues;     // arrivals whose predicate holds
  unsigned epoch;     // how often it completed
  int result;         // of its last completion
  ThreadList waiting;
  Barrier kind;
  Site site;  // of the first arrival
};

// Asynchronous copies under way: see async/async_copy.cpp.
struct CopyQueues;
struct CopyQueuesDeleter {
  void operator()(CopyQueues* queues) const;
};

// A copy that lands when a barrier in memory ends its phase: see async/memory_barrier.cpp.
struct BoundCopy {
  const void* barrier;
  void* to;
  const void* from;
  std::size_t size;
  const void* pc;  // of the call that began it
};

// Bulk copies under way (async/bulk_copy.cpp), and products of warp groups (tensor_core/wgmma.cpp).
struct BulkState;
struct ProductState;
struct AsyncStateDeleter {
  void operator()(BulkState* state) const;
  void operator()(ProductState* state) const;
};

// Memory of a block that runs as loops over its threads: see split.cpp.
struct SplitPiece {
  std::unique_ptr<char[]> memory;
  std::size_t size;
};
inline constexpr unsigned split_is_over = 0x80000000u;  // instead of a number of parked threads
bool may_split();
[[noreturn]] void split_misuse();

// A barrier at which arriving and waiting are two calls.
struct ArriveWaitState {
  unsigned arrived = 0;   // threads that arrived in this phase and have not returned
  unsigned phase = 0;     // counts up when all have arrived
  bool complete = false;  // this block's threads have, other blocks' may not
  ThreadList waiting;
};

struct Block : BlockFront {
  explicit Block(FiberPool& fibers);
  ~Block();
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  // Runs blocks of the grid until none is left; with a team, those of its clusters that are due
  // to `rank`.
  void run_blocks(Grid& grid, Cluster* team, unsigned rank);

  // The running thread takes part in something that may wait: from here on it counts one by one.
  void park() {
    if (current != fresh) return;
    if (splitting) split_misuse();
    current = next_thread - 1;
    warps[current >> 5].live |= 1u << (current & 31u);
    ++parked;
  }

  // Waits; the caller has noted for what. Returns when someone made the thread ready.
  void wait(Thread& me, Wait why, Site site);
  void make_ready(unsigned id);
  void make_ready_next(unsigned id);  // before those that are ready already
  void make_ready(ThreadList& list);
  void yield();

  // Leaves the block for good, from any of its stacks.
  [[noreturn]] void leave();

  unsigned exited_count() const { return next_thread - parked; }
  unsigned unstarted_lanes(unsigned warp) const {
    const unsigned base = warp * 32;
    if (next_thread <= base) return 0xffffffffu;
    return next_thread >= base + 32 ? 0u : 0xffffffffu << (next_thread - base);
  }
  // These two hold when the running thread is parked.
  unsigned alive_lanes(unsigned warp) const {
    return warps[warp].lanes & (warps[warp].live | unstarted_lanes(warp));
  }
  bool has_exited(unsigned id) const { return (alive_lanes(id >> 5) >> (id & 31u) & 1u) == 0; }
  bool is_waiting(const Thread& thread) const {
    if (thread.wait == Wait::barrier) return thread.mask == barriers[thread.barrier].epoch;
    if (thread.wait == Wait::arrive_wait) return is_waiting_for_phase(thread);
    return thread.wait != Wait::nothing;
  }

  // Barriers with arrive and wait as two calls: see arrive_wait.cpp.
  ArriveWaitState& barrier_of(BarrierScope scope) {
    return arrive_wait[static_cast<unsigned>(scope)];
  }
  bool is_waiting_for_phase(const Thread& thread) const;
  void look_at_cluster();             // has the cluster's phase passed?
  void complete(BarrierScope scope);  // if all threads have arrived
  void pass(ArriveWaitState& barrier);
  void forget_arrivals(Thread& thread);
  // No thread can go on but those that other blocks of the cluster keep waiting: sleeps until they
  // can. False when there are none.
  bool await_cluster();
  void leave_cluster();

  // The running thread waits until a thread of the block wakes those that watch this word. With
  // `polls` it may also go on because nobody else can: false then.
  bool watch(const void* word, Site site, bool polls = false);
  void wake(const void* word);
  void wake_all();
  // Lets one go on that polls. False when there is none, or when that has led nowhere.
  bool release_poller();
  // The shared memory of a block of the cluster that holds the address; null if none does.
  Block* shared_owner(const void* address);

  void release(BarrierState& barrier);
  void finish(unsigned warp, unsigned group);
  void answer_active_mask(unsigned warp);
  void answer_if_nobody_can_go_on(unsigned warp);
  void after_exit();
  void retire_runner();

  FiberPool& fibers;
  Grid* grid = nullptr;
  Cluster* cluster = nullptr;  // null when the block is alone in its cluster
  Fiber* running = nullptr;
  Context main = {};  // the OS thread's own stack
  ThreadList ready;
  ThreadList watching;
  unsigned asking_count = 0;        // lanes of all warps that wait for __activemask
  std::uint64_t open_barriers = 0;  // bits of the barriers at which threads have arrived
  unsigned idle_yields = 0;
  unsigned meetings = 0;          // warp operations finished
  unsigned polls = 0;             // threads that were let go since something last happened
  std::uint64_t events_seen = 0;  // of those that other blocks of the cluster have told
  unsigned last_spinner = fresh;  // the thread that looked around last
  bool abandoned = false;
  bool interrupted = false;  // it was left from a signal's handler: see faults/timeout.cpp
  bool splitting = false;    // its threads run in loops
  bool unwatched = false;    // one lane does the work of its warp: not what the lanes access
  std::size_t split_used = 0;
  std::vector<SplitPiece> split_pieces;
  char* arena = nullptr;
  std::size_t arena_size = 0;
  std::string output;                                     // what its threads printed
  std::vector<Printed> printed;                           // each printf's share of it
  unsigned print_phase = 0;                               // pieces of a kernel in loops
  std::uint64_t number = 0;                               // counts the blocks run here
  void* check = nullptr;                                  // what simt/check keeps of it
  std::unique_ptr<CopyQueues, CopyQueuesDeleter> copies;  // made when first needed

  std::vector<BoundCopy> bound_copies;
  std::unique_ptr<BulkState, AsyncStateDeleter> bulk;
  std::unique_ptr<ProductState, AsyncStateDeleter> products;
  unsigned products_in_flight = 0;

  std::array<Thread, max_threads> threads;
  std::array<Warp, 32> warps;
  std::array<BarrierState, all_barriers> barriers;
  std::unique_ptr<const void*[]> published;  // per thread: what it brings to its tile
  std::array<ArriveWaitState, 2> arrive_wait;

 private:
  void run_block(std::uint64_t index);
  void run_clusters();
  void set_lanes();
  void reset();
  bool nobody_can_go_on(unsigned warp) const;
  void start_fiber(Context& from);
  // Saves the running thread's place in `from` and goes on with whoever is next.
  void switch_to_next(Context& from);
  void switch_to_no_ready_thread(Context& from);
  [[noreturn]] void stalled();

  Context abandoned_context_ = {};  // where contexts go that are never resumed
};

inline Block& current_block() {
  return *static_cast<Block*>(front);
}

inline void append(Block& block, ThreadList& list, unsigned id) {
  const auto short_id = static_cast<std::uint16_t>(id);
  block.threads[id].next = no_thread;
  if (list.empty()) {
    list.first = short_id;
  } else {
    block.threads[list.last].next = short_id;
  }
  list.last = short_id;
}

// These two are what a barrier costs, so they stand in the caller's own frame: each frame more is
// another set of registers to save and to load again at every switch.
[[gnu::always_inline]] inline void Block::switch_to_next(Context& from) {
  if (ready.empty()) return switch_to_no_ready_thread(from);
  Thread& next = threads[ready.first];
  ready.first = next.next;
  if (&next.context == &from) return;
  // The stack of the one after it is not in the nearest cache when many threads take turns.
  if (next.next != no_thread) __builtin_prefetch(stack_of(threads[next.next].context));
  switch_context(from, next.context);
}

[[gnu::always_inline]] inline void Block::wait(Thread& me, Wait why, Site site) {
  const unsigned id = current;
  const uint3 index = threadIdx;
  Fiber* const fiber = running;
  me.wait = why;
  me.file = site.file;
  me.line = site.line;
  idle_yields = 0;
  if (asking_count != 0) answer_if_nobody_can_go_on(id >> 5);
  switch_to_next(me.context);
  me.wait = Wait::nothing;
  running = fiber;
  current = id;
  threadIdx = index;
}

// Whether the address is a register of a product that the running thread has not waited for.
bool is_in_flight(const void* address);

// Entry of every fiber.
void runner_main();

}  // namespace simt
