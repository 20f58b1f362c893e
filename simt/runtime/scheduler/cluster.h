#pragma once

// A team of OS threads that runs one cluster after another, each thread one of its blocks.

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace simt {

struct Block;
struct Grid;

inline constexpr unsigned max_cluster = 16;
inline constexpr unsigned max_portable_cluster = 8;

class Cluster {
 public:
  Cluster(Grid& grid, unsigned blocks) : grid_(grid), count_(blocks) {}

  // All blocks of the team meet here, between clusters. Then each has the number of the next one;
  // false when there is none left.
  bool next(Block& block, std::uint64_t& cluster);

  // The barrier. A block posts when all its threads have arrived, and may go on when the phase has
  // passed. Blocks that have ended count as posted. True when this was the last post.
  bool post();
  void block_ended(bool posted);
  unsigned phase() const { return phase_.load(std::memory_order_acquire); }
  // A block none of whose threads can go on sleeps until the phase has passed (if it is at the
  // barrier), or another block has told it of an event, or the grid was aborted, or all are stuck.
  enum class Woken { passed, told, aborted, stuck };
  Woken sleep(unsigned rank, bool at_barrier, unsigned phase, std::uint64_t seen);
  // Something in that block's shared memory has changed.
  void tell(unsigned rank);
  std::uint64_t events(unsigned rank) const {
    return events_[rank].load(std::memory_order_acquire);
  }
  void wake();
  // Every block that has not ended sleeps for good.
  bool is_stuck() const { return stuck_.load(std::memory_order_acquire); }

  unsigned count() const { return count_; }
  Block& block(unsigned rank) const { return *blocks_[rank]; }
  // When the last phase passed, as the checks count.
  std::uint64_t met_time() const { return met_time_.load(std::memory_order_relaxed); }

 private:
  void pass();  // with the mutex held

  Grid& grid_;
  const unsigned count_;
  std::array<Block*, max_cluster> blocks_ = {};
  std::atomic<unsigned> phase_{0};
  std::atomic<std::uint64_t> met_time_{0};

  std::array<std::atomic<std::uint64_t>, max_cluster> events_ = {};
  std::atomic<bool> stuck_{false};

  std::mutex mutex_;  // guards what follows
  std::array<bool, max_cluster> asleep_ = {};
  std::condition_variable changed_;
  unsigned posted_ = 0, ended_ = 0;
  unsigned met_ = 0, meetings_ = 0;
  std::uint64_t current_ = 0;
  bool more_ = false;
};

}  // namespace simt
