// Bulk stores: cp.async.bulk and cp.reduce.async.bulk out of shared memory, in groups that a thread
// waits for.

#include <simt/shared.h>

#include <algorithm>
#include <cstring>

#include "async/bulk_state.h"
#include "scheduler/shared_arena.h"

namespace simt {

using namespace bulk;

namespace {

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
  if (how.by == Reduction::none) {
    tell_global(to, size, true, pc);
    std::memcpy(to, from, size);
  } else {
    tell_global_update(to, size, pc);
    reduce_elements(to, from, size, how);
  }
}

// Where in the row's bytes a store ends. It writes whole pieces of 16 bytes, the last one also
// behind the tensor's last element, as a Hopper does (loads bring nothing from there). Reductions
// do the same: what shared memory has for that piece is added to what lies behind the end.
std::size_t stored_end(const TensorMap& map, const BoxRow& row) {
  const std::size_t end = row.end * element_size(map.element);
  return std::min((end + 15) / 16 * 16, row_bytes(map));
}

}  // namespace

void bulk::finish_store(BulkStore& store) {
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
                    stored_end(map, row) - first, all.store.how, all.store.pc);
        }
        all.at += row_bytes(map);
      },
      &rows);
}

namespace {

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

}  // namespace

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

}  // namespace simt
