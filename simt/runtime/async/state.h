#pragma once

// Bulk copies and wgmma in flight in a block: what the scheduler and the mbarriers need of them.

#include <simt/memory_barrier.h>

#include <cstddef>

#include "scheduler/block.h"

namespace simt {

// Bulk copies (bulk_copy.cpp) and products (tensor_core/wgmma.cpp).
void make_bulk(Block& block);
void make_products(Block& block);
// Nothing of an earlier block is left.
void begin_bulk(Block& block);
void begin_products(Block& block);
// The block's threads have returned: stores that nobody waited for are made now.
void end_bulk(Block& block);
void end_products(Block& block);

// Copies for this barrier of the running block land, if all it still waits for are such copies.
void land_due_copies(Block& block, MemoryBarrier* barrier);
// Bytes of copies for it that have not landed.
std::size_t bytes_under_way(const Block& block, const MemoryBarrier* barrier);

// A barrier's word taken apart.
struct BarrierFields {
  unsigned expected;
  unsigned pending;
  unsigned phase;
  int bytes;  // announced and not there yet
};
BarrierFields fields_of(const MemoryBarrier* barrier);

// For the checks: what the running thread did is known to whoever finds the present phase over; and
// it knows what was done before the arrivals so far.
void give_to_phase(const MemoryBarrier* barrier);
void take_from_phase(const MemoryBarrier* barrier);

// Threads that watch the barrier look again, in whichever block of the cluster it is.
void wake_watchers(const MemoryBarrier* barrier);

// One arrival more in this phase.
void memory_barrier_add_pending(MemoryBarrier* barrier, Site site);

// What the thread's cp.async copies up to now become, at the latest.
void land_small_copies(Block& block, unsigned thread, std::size_t count);
std::size_t small_copies_begun(Block& block);

}  // namespace simt
