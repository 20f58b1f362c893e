#pragma once

// Bulk copies in flight, and what all of them check before they begin.

#include <simt/bulk_copy.h>

#include <mutex>
#include <string>
#include <vector>

#include "async/tell_checks.h"
#include "scheduler/grid.h"

namespace simt::bulk {

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
  Block* asker;      // of an arrival
  bool too = false;  // of a multicast: memory was read for a block before this one
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

// Why a copy cannot be, as the kernel's error.
[[noreturn]] void bad(cudaError_t error, const std::string& what, Site site);
void check_aligned(const void* pointer, std::size_t to, const char* what, Site site);
Block& shared_block(const void* pointer, const char* what, Site site);
void check_own_shared(const void* from, Site site);
TensorMap map_at(const void* pointer, const Coordinates* at, Site site);
void check_start(const TensorMap& map, const Coordinates& at, bool stores, Site site);

Transfer transfer(Kind kind, char* shared, char* other, std::size_t size, Reduced how,
                  const void* pc);
void finish_store(BulkStore& store);

// What of shared memory a transfer touches, told part by part.
template <class Tell>
void for_parts_of(const Transfer& transfer, const Tell& tell) {
  if (check_hooks == nullptr) return;
  if (transfer.kind != Kind::box) return tell(transfer.shared, transfer.size);
  for_each_part(transfer.map, transfer.shared, tell);
}

}  // namespace simt::bulk

namespace simt {

struct BulkState {
  std::mutex mutex;  // other blocks of the cluster bring loads
  std::vector<bulk::BulkLoad> loads;
  std::vector<bulk::StoreQueue> stores;  // a thread
  bool used = false;
};

}  // namespace simt
