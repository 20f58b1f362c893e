#include "scheduler/cluster.h"

#include <simt/cluster.h>
#include <simt/fault.h>
#include <simt/shared.h>

#include <algorithm>

#include "faults/report.h"
#include "scheduler/block.h"
#include "scheduler/grid.h"
#include "scheduler/shared_arena.h"
#include "tools/check_hooks.h"

namespace simt {

bool Cluster::next(Block& block, std::uint64_t& cluster) {
  std::unique_lock lock(mutex_);
  blocks_[block.cluster_rank] = &block;
  if (++met_ == count_) {
    met_ = posted_ = ended_ = 0;
    met_time_ = 0;
    phase_.store(0, std::memory_order_relaxed);
    asleep_ = {};
    current_ = grid_.next_block.fetch_add(1, std::memory_order_relaxed);
    more_ = current_ < grid_.block_count / count_ && !grid_.aborted.load();
    ++meetings_;
    changed_.notify_all();
  } else {
    const unsigned meeting = meetings_;
    changed_.wait(lock, [&] { return meetings_ != meeting; });
  }
  cluster = current_;
  return more_;
}

void Cluster::pass() {
  posted_ = 0;
  if (check_hooks != nullptr) met_time_.store(check_hooks->cluster_met());
  phase_.fetch_add(1, std::memory_order_release);
  asleep_ = {};
  changed_.notify_all();
}

bool Cluster::post() {
  const std::lock_guard lock(mutex_);
  ++posted_;
  if (posted_ + ended_ != count_) return false;
  pass();
  return true;
}

void Cluster::block_ended(bool posted) {
  const std::lock_guard lock(mutex_);
  if (posted) --posted_;
  ++ended_;
  if (posted_ != 0 && posted_ + ended_ == count_) pass();
  asleep_ = {};  // who sleeps may be stuck now
  changed_.notify_all();
}

Cluster::Woken Cluster::sleep(unsigned rank, bool at_barrier, unsigned phase, std::uint64_t seen) {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (at_barrier && phase_.load(std::memory_order_relaxed) != phase) return Woken::passed;
    if (grid_.aborted.load()) return Woken::aborted;
    if (events(rank) != seen) return Woken::told;
    asleep_[rank] = true;
    const auto sleepers = std::count(asleep_.begin(), asleep_.end(), true);
    if (static_cast<unsigned>(sleepers) + ended_ == count_) {
      stuck_.store(true, std::memory_order_release);
      return Woken::stuck;
    }
    changed_.wait(lock, [&] { return !asleep_[rank] || grid_.aborted.load(); });
  }
}

void Cluster::tell(unsigned rank) {
  {
    const std::lock_guard lock(mutex_);
    events_[rank].fetch_add(1, std::memory_order_release);
    asleep_[rank] = false;
  }
  changed_.notify_all();
}

void Cluster::wake() {
  // A sleeper that has looked before this lock is asleep by now, so it hears the call.
  { const std::lock_guard lock(mutex_); }
  changed_.notify_all();
}

namespace {

// The block of the running cluster in whose shared memory the address lies; null if there is none.
const Block* owner_of(const Block& here, const void* pointer) {
  if (arena_holds(here, pointer)) return &here;
  if (here.cluster == nullptr) return nullptr;
  for (unsigned rank = 0; rank < here.cluster->count(); ++rank) {
    const Block& block = here.cluster->block(rank);
    if (arena_holds(block, pointer)) return &block;
  }
  return nullptr;
}

const Block& shared_owner(const void* pointer, const char* what, Site site) {
  if (!in_kernel()) host_misuse(what, site);
  const Block* owner = owner_of(current_block(), pointer);
  if (owner == nullptr) {
    fault(cudaErrorInvalidAddressSpace,
          std::string(what) + ": " + hexadecimal(reinterpret_cast<unsigned long long>(pointer)) +
              " is no address in shared memory",
          site);
  }
  return *owner;
}

}  // namespace

void* map_shared_rank(const void* pointer, unsigned rank, Site site) {
  const Block& owner = shared_owner(pointer, "map_shared_rank", site);
  const Block& here = current_block();
  if (rank >= cluster_blocks()) {
    fault(cudaErrorIllegalAddress,
          "map_shared_rank: there is no block " + std::to_string(rank) + " in a cluster of " +
              std::to_string(cluster_blocks()),
          site);
  }
  const Block& target = here.cluster != nullptr ? here.cluster->block(rank) : here;
  return target.static_shared + (static_cast<const char*>(pointer) - owner.static_shared);
}

unsigned query_shared_rank(const void* pointer, Site site) {
  return shared_owner(pointer, "query_shared_rank", site).cluster_rank;
}

bool is_cluster_shared(const void* pointer) {
  return front != nullptr && owner_of(current_block(), pointer) != nullptr;
}

void need_cluster(dim3 size) {
  Block& block = current_block();
  block.grid->want_cluster(size);
  block.leave();
}

}  // namespace simt
