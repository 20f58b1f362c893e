// Bulk copies into shared memory, each with an mbarrier: cp.async.bulk, TMA, st.async; and the end
// of all bulk copies of a block. (Stores: bulk_store.cpp.)

#include <simt/bulk_copy.h>
#include <simt/fault.h>
#include <simt/shared.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include "async/bulk_state.h"
#include "async/state.h"
#include "faults/report.h"
#include "scheduler/cluster.h"
#include "scheduler/grid.h"
#include "scheduler/shared_arena.h"

namespace simt {

using namespace bulk;

namespace {

// Copies for a barrier go to the block that has it.
void add_load(BulkLoad load) {
  Block& owner = *current_block().shared_owner(load.barrier);
  tell_engine_uses(load.barrier, load.pc);
  for_parts_of(load, [&](char* at, std::size_t size) { tell_load_begins(at, size, load.pc); });
  {
    const std::lock_guard lock(owner.bulk->mutex);
    owner.bulk->loads.push_back(load);
    owner.bulk->used = true;
  }
  give_to_phase(load.barrier);
  wake_watchers(load.barrier);
}

// To each block of the mask at the same places, or only to where the destination lies.
void add_loads(BulkLoad load, int blocks, Site site) {
  const Block& owner = shared_block(load.shared, "the destination", site);
  const Block& counter = shared_block(load.barrier, "the barrier", site);
  check_aligned(load.barrier, 8, "the barrier", site);
  if (blocks < 0) {
    if (&owner != &counter) {
      bad(cudaErrorInvalidAddressSpace,
          "a bulk copy: destination and barrier are in different blocks", site);
    }
    return add_load(load);
  }
  const auto to = load.shared - owner.static_shared;
  const auto at = reinterpret_cast<char*>(load.barrier) - counter.static_shared;
  for (unsigned rank = 0; rank < max_cluster; ++rank) {
    if ((blocks >> rank & 1) == 0) continue;
    if (rank >= cluster_blocks()) {
      bad(cudaErrorIllegalInstruction,
          "a multicast to block " + std::to_string(rank) + " of a cluster of " +
              std::to_string(cluster_blocks()),
          site);
    }
    Block& block = current_block();
    char* const base =
        (block.cluster != nullptr ? block.cluster->block(rank) : block).static_shared;
    load.shared = base + to;
    load.barrier = reinterpret_cast<MemoryBarrier*>(base + at);
    add_load(load);
    load.too = true;
  }
}

void tell_read(const BulkLoad& load, const void* at, std::size_t size) {
  if (load.too) return tell_multicast(at, size, load.pc);
  tell_global(at, size, false, load.pc);
}

void load_row(const TensorMap& map, const BoxRow& row, void* with) {
  const auto& load = *static_cast<const BulkLoad*>(with);
  char bytes[256 * 8];
  fill_outside(map, bytes, row_bytes(map));
  if (row.global != nullptr) {
    const std::size_t size = element_size(map.element);
    tell_read(load, row.global, (row.end - row.first) * size);
    std::memcpy(bytes + row.first * size, row.global, (row.end - row.first) * size);
    convert_loaded(map, bytes + row.first * size, (row.end - row.first) * size);
  }
  write_row(map, row, bytes);
}

void land(const BulkLoad& load) {
  switch (load.kind) {
    case Kind::box:
      for_parts_of(load, [&](char* at, std::size_t size) { tell_load_lands(at, size, load.pc); });
      for_each_row(load.map, load.at, load.shared, &load_row, const_cast<BulkLoad*>(&load));
      break;
    case Kind::plain:
      if (current_block().shared_owner(load.other) == nullptr) {
        tell_read(load, load.other, load.size);
      } else {
        tell_read_ends(load.other, load.size, load.pc, load.since);
      }
      tell_load_lands(load.shared, load.size, load.pc);
      if (load.how.by == Reduction::none) {
        std::memcpy(load.shared, load.other, load.size);
      } else {
        reduce_elements(load.shared, load.other, load.size, load.how);
      }
      break;
    case Kind::value:
      tell_load_lands(load.shared, load.size, load.pc);
      if (load.how.by == Reduction::none) {
        std::memcpy(load.shared, load.value, load.size);
      } else {
        reduce_elements(load.shared, load.value, load.size, load.how);
      }
      break;
    case Kind::arrival:
      land_small_copies(*load.asker, load.thread, load.size);
      break;
  }
}

// The first load of the barrier. The lock is not kept while it lands: a fault does not come back.
bool take_load(BulkState& state, const MemoryBarrier* barrier, BulkLoad& load) {
  const std::lock_guard lock(state.mutex);
  const auto found = std::find_if(state.loads.begin(), state.loads.end(),
                                  [&](const BulkLoad& each) { return each.barrier == barrier; });
  if (found == state.loads.end()) return false;
  load = *found;
  state.loads.erase(found);
  return true;
}

}  // namespace

void AsyncStateDeleter::operator()(BulkState* state) const {
  delete state;
}

void make_bulk(Block& block) {
  block.bulk.reset(new BulkState);
}

void begin_bulk(Block& block) {
  BulkState& state = *block.bulk;
  if (!state.used) return;
  state.used = false;
  state.loads.clear();
  state.stores.clear();
}

void end_bulk(Block& block) {
  BulkState& state = *block.bulk;
  if (!state.used || block.abandoned) return;
  for (unsigned thread = 0; thread < state.stores.size(); ++thread) {
    StoreQueue& queue = state.stores[thread];
    for (std::size_t i = queue.first; i < queue.stores.size(); ++i) {
      BulkStore& store = queue.stores[i];
      if (!store.was_read) {
        tell_misuse("never waited for",
                    "the block ends before this bulk store has read its source "
                    "(cp.async.bulk.wait_group.read)",
                    store.thread, store.pc);
      }
      finish_store(store);
    }
  }
  for (const BulkLoad& load : state.loads) {
    if (load.kind == Kind::arrival) continue;
    tell_misuse("never waited for", "the block ends before anybody has waited for this bulk copy",
                load.thread, load.pc);
  }
}

std::size_t bytes_under_way(const Block& block, const MemoryBarrier* barrier) {
  const std::lock_guard lock(block.bulk->mutex);
  std::size_t total = 0;
  for (const BulkLoad& load : block.bulk->loads) {
    if (load.barrier == barrier && load.kind != Kind::arrival) total += load.size;
  }
  return total;
}

void land_due_copies(Block& block, MemoryBarrier* barrier) {
  BulkState& state = *block.bulk;
  if (!state.used) return;
  std::size_t coming = 0;
  unsigned arrivals = 0;
  {
    const std::lock_guard lock(state.mutex);
    for (const BulkLoad& load : state.loads) {
      if (load.barrier != barrier) continue;
      load.kind == Kind::arrival ? void(++arrivals) : void(coming += load.size);
    }
  }
  if (coming == 0 && arrivals == 0) return;
  const BarrierFields now = fields_of(barrier);
  if (now.pending > arrivals || now.bytes > static_cast<long long>(coming)) return;
  BulkLoad load;
  while (fields_of(barrier).phase == now.phase && take_load(state, barrier, load)) {
    take_from_phase(barrier);
    land(load);
    give_to_phase(barrier);
    if (load.kind == Kind::arrival) {
      memory_barrier_arrive(barrier, 1, false, {nullptr, 0});
    } else {
      memory_barrier_expect(barrier, -static_cast<int>(load.size), {nullptr, 0});
    }
  }
}

void tensor_load(void* to, const void* map, const Coordinates& at, MemoryBarrier* barrier,
                 int blocks, Site site) {
  const void* const pc = __builtin_return_address(0);
  check_aligned(to, 128, "the destination", site);
  BulkLoad load{};
  static_cast<Transfer&>(load) =
      transfer(Kind::box, static_cast<char*>(to), nullptr, 0, {Reduction::none, Element::u8}, pc);
  load.map = map_at(map, &at, site);
  check_start(load.map, at, false, site);
  load.at = at;
  load.size = box_bytes(load.map);
  load.barrier = barrier;
  add_loads(load, blocks, site);
}

void tensor_prefetch(const void* map, const Coordinates& at, Site site) {
  map_at(map, at.count != 0 ? &at : nullptr, site);
}

void bulk_load(void* to, const void* from, std::size_t size, MemoryBarrier* barrier, int blocks,
               Reduced how, Site site) {
  const void* const pc = __builtin_return_address(0);
  check_aligned(to, 16, "the destination", site);
  check_aligned(from, 16, "the source", site);
  check_aligned(reinterpret_cast<const void*>(size), 16, "the size", site);
  if (size == 0) return;
  BulkLoad load{};
  static_cast<Transfer&>(load) =
      transfer(Kind::plain, static_cast<char*>(to), static_cast<char*>(const_cast<void*>(from)),
               size, how, pc);
  load.barrier = barrier;
  if (is_cluster_shared(from)) {
    tell_read_begins(from, size, pc);
    load.since = async_time();
  }
  add_loads(load, blocks, site);
}

void store_async(void* to, const void* value, std::size_t size, MemoryBarrier* barrier, Reduced how,
                 Site site) {
  const void* const pc = __builtin_return_address(0);
  check_aligned(to, size, "the destination", site);
  BulkLoad load{};
  static_cast<Transfer&>(load) =
      transfer(Kind::value, static_cast<char*>(to), nullptr, size, how, pc);
  std::memcpy(load.value, value, size);
  load.barrier = barrier;
  add_loads(load, -1, site);
}

void arrive_after_copies(MemoryBarrier* barrier, bool counted, Site site) {
  const void* const pc = __builtin_return_address(0);
  Block& block = shared_block(barrier, "the barrier", site);
  if (!counted) memory_barrier_add_pending(barrier, site);
  BulkLoad load{};
  static_cast<Transfer&>(load) = transfer(Kind::arrival, nullptr, nullptr, 0, {}, pc);
  load.size = small_copies_begun(current_block());
  load.asker = &current_block();
  load.barrier = barrier;
  {
    const std::lock_guard lock(block.bulk->mutex);
    block.bulk->loads.push_back(load);
    block.bulk->used = true;
  }
  wake_watchers(barrier);
}

}  // namespace simt
