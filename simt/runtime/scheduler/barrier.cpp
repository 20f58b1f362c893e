// Barriers of a block: __syncthreads and its reducing forms, PTX's named barriers, and the barrier
// over a cooperative grid.

#include <simt/fault.h>
#include <simt/sync.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "faults/report.h"
#include "scheduler/block.h"
#include "scheduler/grid.h"
#include "tools/check_hooks.h"

namespace simt {
namespace {

int result_of(const BarrierState& barrier) {
  switch (barrier.kind) {
    case Barrier::count:
      return static_cast<int>(barrier.trues);
    case Barrier::all:
      return barrier.trues == barrier.arrived;
    case Barrier::any:
      return barrier.trues != 0;
    case Barrier::sync:
      break;
  }
  return 0;
}

bool is_complete(const Block& block, const BarrierState& barrier) {
  return barrier.expected != 0 ? barrier.arrived >= barrier.expected
                               : barrier.arrived + block.exited_count() == block.thread_count;
}

// Reports are made out of line: their strings would burden the frames of the quick path, and with
// them every switch between threads.
[[noreturn, gnu::cold, gnu::noinline]] void no_such_barrier(unsigned id, Site site) {
  fault(cudaErrorIllegalInstruction, "there is no barrier " + std::to_string(id), site);
}

[[noreturn, gnu::cold, gnu::noinline]] void different_barriers(const BarrierState& barrier,
                                                               Barrier kind, Site site) {
  fault(cudaErrorIllegalInstruction,
        "threads of one block meet at different barriers: " + std::string(name_of(kind)) +
            " here, " + name_of(barrier.kind) + " at " + describe(barrier.site),
        site);
}

[[gnu::always_inline]] inline BarrierState& arrive(Block& block, unsigned id, unsigned expected,
                                                   Barrier kind, bool predicate, Site site) {
  block.park();
  BarrierState& barrier = block.barriers[id];
  if (barrier.arrived == 0) {
    block.open_barriers |= std::uint64_t{1} << id;
    barrier.kind = kind;
    barrier.expected = expected;
    barrier.site = site;
  } else if (barrier.kind != kind || barrier.expected != expected) {
    different_barriers(barrier, kind, site);
  } else if (check_hooks != nullptr && expected == 0 && barrier.site.line != site.line) {
    check_hooks->barriers_differ(block, barrier.site, site);
  }
  ++barrier.arrived;
  barrier.trues += predicate;
  return barrier;
}

[[gnu::always_inline]] inline int arrive_and_wait(unsigned id, unsigned expected, Barrier kind,
                                                  bool predicate, Site site) {
  Block& block = current_block();
  BarrierState& barrier = arrive(block, id, expected, kind, predicate, site);
  if (is_complete(block, barrier)) {
    block.release(barrier);
    return barrier.result;
  }
  Thread& me = block.threads[block.current];
  me.barrier = static_cast<unsigned char>(id);
  me.mask = barrier.epoch;
  append(block, barrier.waiting, block.current);
  block.wait(me, Wait::barrier, site);
  // It cannot have completed again meanwhile: that takes this thread too.
  return barrier.result;
}

// Bits of the warps whose threads go on when the barrier completes; the running one is among them,
// unless it only arrives, and then nothing of it depends on the others.
std::uint32_t warps_at(const Block& block, const BarrierState& barrier) {
  std::uint32_t warps = 1u << (rank_of_running(block) >> 5);
  for (unsigned id = barrier.waiting.first; id != no_thread; id = block.threads[id].next) {
    warps |= 1u << (id >> 5);
    if (id == barrier.waiting.last) break;
  }
  return warps;
}

void tell_arrival(unsigned id, unsigned threads) {
  if (check_hooks == nullptr || threads == 0) return;
  check_hooks->named_arrived(current_block(), id);
}

}  // namespace

void Block::release(BarrierState& barrier) {
  barrier.result = result_of(barrier);
  if (check_hooks != nullptr) {
    const auto id = static_cast<unsigned>(&barrier - barriers.data());
    if (barrier.expected == 0 && barrier.arrived != thread_count) {
      check_hooks->barrier_lacks(*this, barrier.site, barrier.arrived);
    }
    if (barrier.expected == 0 || barrier.expected >= thread_count) {
      check_hooks->barrier_passed(*this);
    } else {
      check_hooks->named_passed(*this, id, warps_at(*this, barrier));
    }
  }
  ++barrier.epoch;  // those that waited no longer count as waiting
  barrier.arrived = barrier.expected = barrier.trues = 0;
  open_barriers &= ~(std::uint64_t{1} << (&barrier - barriers.data()));
  make_ready(barrier.waiting);
}

int block_barrier(Barrier kind, int predicate, Site site) {
  if (!in_kernel()) host_misuse(name_of(kind), site);
  return arrive_and_wait(0, 0, kind, predicate != 0, site);
}

int named_barrier_reduce(unsigned id, unsigned threads, Barrier kind, bool predicate, Site site) {
  if (!in_kernel()) host_misuse("a barrier", site);
  if (id >= named_barriers) no_such_barrier(id, site);
  tell_arrival(id, threads);
  return arrive_and_wait(id, threads, kind, predicate, site);
}
void named_barrier_sync(unsigned id, unsigned threads, Site site) {
  named_barrier_reduce(id, threads, Barrier::sync, false, site);
}

void named_barrier_arrive(unsigned id, unsigned threads, Site site) {
  if (!in_kernel()) host_misuse("a barrier", site);
  if (id >= named_barriers) no_such_barrier(id, site);
  tell_arrival(id, threads);
  Block& block = current_block();
  BarrierState& barrier = arrive(block, id, threads, Barrier::sync, false, site);
  if (is_complete(block, barrier)) block.release(barrier);
}

void tile_barrier(unsigned size, Site site) {
  if (!in_kernel()) host_misuse("a tile's barrier", site);
  const Block& block = current_block();
  const unsigned tile = rank_of_running(block) / size;
  // Tiles of 64 threads have the first 16 of them, those of 128 the next 8, and so on.
  const unsigned id = named_barriers + 32 - 2 * (max_threads / size) + tile;
  const unsigned threads = std::min(size, block.thread_count - tile * size);
  tell_arrival(id, threads);
  arrive_and_wait(id, threads, Barrier::sync, false, site);
}

void tile_publish(const void* value, unsigned size, Site site) {
  if (!in_kernel()) host_misuse("an operation of a tile", site);
  Block& block = current_block();
  if (block.published == nullptr) block.published.reset(new const void*[max_threads]);
  block.published[rank_of_running(block)] = value;
  tile_barrier(size, site);
}

bool tile_read(unsigned thread, void* to, std::size_t size) {
  const Block& block = current_block();
  if (thread >= block.thread_count) return false;
  std::memcpy(to, block.published[thread], size);
  return true;
}

bool is_cooperative_grid() {
  return in_kernel() && current_block().grid->config.cooperative;
}

void grid_barrier(Site site) {
  if (!in_kernel()) host_misuse("a grid barrier", site);
  Block& block = current_block();
  if (!block.grid->config.cooperative) {
    fault(cudaErrorLaunchFailure,
          "a grid barrier needs a cooperative launch (cudaLaunchCooperativeKernel)", site);
  }
  arrive_and_wait(0, 0, Barrier::sync, false, site);
  // One thread meets the other blocks; the rest of its block waits for it.
  unsigned first = 0;
  while (block.has_exited(first)) ++first;
  if (block.current == first && !block.grid->meet()) {
    if (block.grid->aborted.load()) block.leave();
    fault(cudaErrorLaunchTimeout, "blocks wait at a grid barrier for blocks that have ended", site);
  }
  arrive_and_wait(0, 0, Barrier::sync, false, site);
}

void sleep_for(unsigned nanoseconds) {
  if (!in_kernel()) return;
  // On a GPU the thread sleeps at most 1 ms. Whoever sleeps waits for someone: let them all run.
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::nanoseconds(nanoseconds % 1000000u);
  do {
    look_around();
    current_block().yield();
  } while (std::chrono::steady_clock::now() < end);
}

long long read_clock() {
#if defined(__x86_64__)
  return static_cast<long long>(__builtin_ia32_rdtsc());
#else
  return std::chrono::steady_clock::now().time_since_epoch().count();
#endif
}

}  // namespace simt
