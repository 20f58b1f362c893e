// Bulk copies: cp.async.bulk, TMA, st.async.

#include <simt/bulk_copy.h>
#include <simt/fault.h>
#include <simt/shared.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include "async_state.h"
#include "bulk_tell.h"
#include "cluster.h"
#include "grid.h"
#include "report.h"
#include "shared_arena.h"

namespace simt {
namespace {

enum class Kind : unsigned char { plain, box, value, arrival };

struct Transfer {
  Kind kind;
  Reduced how;
  unsigned thread;  // that asked for it
  TensorMap map;    // of a box
  Coordinates at;
  char* shared;
  char* other;       // global, or another block's
  std::size_t size;  // bytes in shared memory; of an arrival: the thread's copies so far
  const void* pc;
  std::uint64_t since;  // when it was asked for, as the checks count
};

struct BulkLoad : Transfer {
  MemoryBarrier* barrier;
  unsigned char value[16];
  Block* asker;  // of an arrival
};

struct BulkStore : Transfer {
  unsigned group;
  bool was_read;
  std::vector<char> bytes;  // once it was read
};

struct StoreQueue {
  unsigned committed = 0;
  std::size_t first = 0;  // the stores before it are done
  std::vector<BulkStore> stores;
};

}  // namespace

struct BulkState {
  std::mutex mutex;  // other blocks of the cluster bring loads
  std::vector<BulkLoad> loads;
  std::vector<StoreQueue> stores;  // a thread
  bool used = false;
};

namespace {

[[noreturn, gnu::cold, gnu::noinline]] void bad(cudaError_t error, const std::string& what,
                                                Site site) {
  fault(error, what, site);
}

void check_aligned(const void* pointer, std::size_t to, const char* what, Site site) {
  if (reinterpret_cast<std::uintptr_t>(pointer) % to == 0) return;
  bad(cudaErrorMisalignedAddress,
      std::string("a bulk copy: ") + what + " " +
          hexadecimal(reinterpret_cast<unsigned long long>(pointer)) + " is no multiple of " +
          std::to_string(to),
      site);
}

Block& shared_block(const void* pointer, const char* what, Site site) {
  if (!in_kernel()) host_misuse("a bulk copy", site);
  Block* const owner = current_block().shared_owner(pointer);
  if (owner == nullptr) {
    bad(cudaErrorInvalidAddressSpace,
        std::string("a bulk copy: ") + what + " " +
            hexadecimal(reinterpret_cast<unsigned long long>(pointer)) + " is not in shared memory",
        site);
  }
  return *owner;
}

TensorMap map_at(const void* pointer, const Coordinates* at, Site site) {
  TensorMap map;
  check_aligned(pointer, 64, "the tensor map", site);
  std::memcpy(&map, pointer, sizeof map);
  if (map.magic != map_magic) {
    bad(cudaErrorIllegalInstruction,
        "no tensor map at " + hexadecimal(reinterpret_cast<unsigned long long>(pointer)) +
            " (cuTensorMapEncodeTiled makes them)",
        site);
  }
  if (at != nullptr && at->count != map.rank) {
    bad(cudaErrorIllegalInstruction,
        "a copy of " + std::to_string(at->count) + " dimensions through a tensor map of " +
            std::to_string(map.rank),
        site);
  }
  return map;
}

// A box begins at a whole piece of 16 bytes of its rows: at any other element a Hopper ends the kernel with this
// error. So it was seen for loads; stores and reductions compute their addresses in the same way. A load may begin left of
// the tensor (or above, and so on); a store or a reduction may not: seen for the first axis, CUDA's guide says it
// of all.
void check_start(const TensorMap& map, const Coordinates& at, bool stores, Site site) {
  const auto size = static_cast<std::int64_t>(element_size(map.element));
  if (at.at[0] * size % 16 != 0) {
    bad(cudaErrorIllegalInstruction,
        "a tensor copy: the box starts at element " + std::to_string(at.at[0]) +
            " of a row, which is not a multiple of 16 bytes (" + std::to_string(16 / size) +
            " elements)",
        site);
  }
  for (int axis = 0; stores && axis < at.count; ++axis) {
    if (at.at[axis] >= 0) continue;
    bad(cudaErrorIllegalInstruction,
        "a tensor store: the box starts at " + std::to_string(at.at[axis]) + " of axis " +
            std::to_string(axis) + "; only loads may start before the tensor",
        site);
  }
}

// What of shared memory a transfer touches, told part by part.
template <class Tell>
void for_parts_of(const Transfer& transfer, const Tell& tell) {
  if (check_hooks == nullptr) return;
  if (transfer.kind != Kind::box) return tell(transfer.shared, transfer.size);
  for_each_part(transfer.map, transfer.shared, tell);
}

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
  }
}

void load_row(const TensorMap& map, const BoxRow& row, void* with) {
  const auto& load = *static_cast<const BulkLoad*>(with);
  char bytes[256 * 8];
  fill_outside(map, bytes, row_bytes(map));
  if (row.global != nullptr) {
    const std::size_t size = element_size(map.element);
    tell_global(row.global, (row.end - row.first) * size, false, load.pc);
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
        tell_global(load.other, load.size, false, load.pc);
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

// Reads what a store stores, and later puts it where it goes.
struct RowsOf {
  BulkStore& store;
  std::size_t at;
};

void read_store(BulkStore& store) {
  if (store.was_read) return;
  store.was_read = true;
  for_parts_of(
      store, [&](char* at, std::size_t size) { tell_read_ends(at, size, store.pc, store.since); });
  store.bytes.resize(store.size);
  if (store.kind == Kind::plain) {
    std::memcpy(store.bytes.data(), store.shared, store.size);
    return;
  }
  RowsOf rows{store, 0};
  for_each_row(
      store.map, store.at, store.shared,
      [](const TensorMap& map, const BoxRow& row, void* with) {
        auto& all = *static_cast<RowsOf*>(with);
        read_row(map, row, all.store.bytes.data() + all.at);
        all.at += row_bytes(map);
      },
      &rows);
}

void put_bytes(char* to, const char* from, std::size_t size, Reduced how, const void* pc) {
  tell_global(to, size, true, pc);
  if (how.by == Reduction::none) {
    std::memcpy(to, from, size);
  } else {
    reduce_elements(to, from, size, how);
  }
}

// Where in the row's bytes a store ends. It writes whole pieces of 16 bytes, the last one also behind the
// tensor's last element, as a Hopper does (loads bring nothing from there). What reductions do there has not
// been seen on one: they end at the last element.
std::size_t stored_end(const TensorMap& map, const BoxRow& row, Reduced how) {
  const std::size_t end = row.end * element_size(map.element);
  if (how.by != Reduction::none) return end;
  return std::min((end + 15) / 16 * 16, row_bytes(map));
}

void finish_store(BulkStore& store) {
  read_store(store);
  if (store.kind == Kind::plain) {
    return put_bytes(store.other, store.bytes.data(), store.size, store.how, store.pc);
  }
  RowsOf rows{store, 0};
  for_each_row(
      store.map, store.at, store.shared,
      [](const TensorMap& map, const BoxRow& row, void* with) {
        auto& all = *static_cast<RowsOf*>(with);
        if (row.global != nullptr) {
          const std::size_t size = element_size(map.element), first = row.first * size;
          put_bytes(row.global, all.store.bytes.data() + all.at + first,
                    stored_end(map, row, all.store.how) - first, all.store.how, all.store.pc);
        }
        all.at += row_bytes(map);
      },
      &rows);
}

StoreQueue& stores_of_running() {
  Block& block = current_block();
  BulkState& state = *block.bulk;
  state.used = true;
  if (state.stores.empty()) state.stores.resize(max_threads);
  return state.stores[rank_of_running(block)];
}

void add_store(BulkStore store) {
  StoreQueue& queue = stores_of_running();
  store.group = queue.committed;
  for_parts_of(store, [&](char* at, std::size_t size) { tell_read_begins(at, size, store.pc); });
  store.since = async_time();
  queue.stores.push_back(std::move(store));
}

Transfer transfer(Kind kind, char* shared, char* other, std::size_t size, Reduced how,
                  const void* pc) {
  return {kind, how, rank_of_running(current_block()), {}, {}, shared, other, size, pc, 0};
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

void check_own_shared(const void* from, Site site) {
  if (is_shared(from)) return;
  shared_block(from, "the source", site);
  bad(cudaErrorInvalidAddressSpace, "a bulk copy: the source is another block's shared memory",
      site);
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

void tensor_store(const void* map, const Coordinates& at, const void* from, Reduction by,
                  Site site) {
  const void* const pc = __builtin_return_address(0);
  check_aligned(from, 128, "the source", site);
  check_own_shared(from, site);
  BulkStore store{};
  static_cast<Transfer&>(store) =
      transfer(Kind::box, static_cast<char*>(const_cast<void*>(from)), nullptr, 0, {}, pc);
  store.map = map_at(map, &at, site);
  check_start(store.map, at, true, site);
  store.at = at;
  store.size = box_bytes(store.map);
  store.how = {by, store.map.element};
  add_store(std::move(store));
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

void bulk_store(void* to, const void* from, std::size_t size, Reduced how, Site site) {
  const void* const pc = __builtin_return_address(0);
  check_aligned(to, 16, "the destination", site);
  check_aligned(from, 16, "the source", site);
  check_aligned(reinterpret_cast<const void*>(size), 16, "the size", site);
  check_own_shared(from, site);
  if (size == 0) return;
  BulkStore store{};
  static_cast<Transfer&>(store) = transfer(Kind::plain, static_cast<char*>(const_cast<void*>(from)),
                                           static_cast<char*>(to), size, how, pc);
  add_store(std::move(store));
}

void bulk_commit() {
  ++stores_of_running().committed;
}

void bulk_wait(unsigned newest, bool read) {
  StoreQueue& queue = stores_of_running();
  const auto is_due = [&](const BulkStore& store) {
    return store.group + newest < queue.committed;
  };
  if (read) {
    for (std::size_t i = queue.first; i < queue.stores.size() && is_due(queue.stores[i]); ++i) {
      read_store(queue.stores[i]);
    }
    return;
  }
  while (queue.first < queue.stores.size() && is_due(queue.stores[queue.first])) {
    finish_store(queue.stores[queue.first++]);
  }
  if (queue.first == queue.stores.size()) {
    queue.stores.clear();
    queue.first = 0;
  }
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
