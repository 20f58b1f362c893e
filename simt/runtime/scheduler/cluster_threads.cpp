// OS threads for blocks that wait for each other, which must all run at the same time. They are
// kept from launch to launch, with their stacks and shared memory: creating those again would cost
// more than a small kernel does.

#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "scheduler/cluster.h"
#include "scheduler/grid.h"
#include "scheduler/worker.h"

namespace simt {
namespace {

using Job = std::function<void(unsigned slot)>;

class ClusterThreads {
 public:
  // Runs job(0) on the calling thread and job(1) .. job(slots - 1) each on its own. False when
  // another launch has the threads.
  bool run(unsigned slots, const Job& job) {
    std::unique_lock running(running_, std::try_to_lock);
    if (!running.owns_lock()) return false;
    {
      const std::lock_guard lock(mutex_);
      while (helpers_ + 1 < slots) {
        const unsigned slot = ++helpers_;
        std::thread([this, slot, seen = posted_] { help(slot, seen); }).detach();
      }
      job_ = &job;
      slots_ = slots;
      left_ = slots - 1;
      ++posted_;
    }
    wake_.notify_all();
    job(0);
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return left_ == 0; });
    return true;
  }

 private:
  void help(unsigned slot, std::uint64_t seen) {
    for (;;) {
      const Job* job;
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [&] { return posted_ != seen; });
        seen = posted_;
        if (slot >= slots_) continue;
        job = job_;
      }
      (*job)(slot);
      const std::lock_guard lock(mutex_);
      if (--left_ == 0) done_.notify_one();
    }
  }

  std::mutex running_;  // held by the launch that they work on
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  const Job* job_ = nullptr;
  unsigned helpers_ = 0, slots_ = 0, left_ = 0;
  std::uint64_t posted_ = 0;
};

// Leaked, and made again after a fork, like the pool.
ClusterThreads& cluster_threads() {
  static std::mutex mutex;
  static ClusterThreads* current = nullptr;
  static pid_t owner = 0;
  const std::lock_guard lock(mutex);
  if (current == nullptr || owner != getpid()) {
    current = new ClusterThreads;
    owner = getpid();
  }
  return *current;
}

// Each keeps stacks for a whole block, so there is a limit to what more cores would help.
constexpr unsigned most_slots = 32;

}  // namespace

void run_clusters(Grid& grid) {
  const unsigned blocks = grid.cluster_blocks;
  const std::uint64_t clusters = grid.block_count / blocks;
  const unsigned fitting = std::max(std::min(pool_size(), most_slots) / blocks, 1u);
  // The clusters of a cooperative grid wait for each other too.
  const auto teams = static_cast<unsigned>(
      grid.config.cooperative ? clusters : std::min<std::uint64_t>(fitting, clusters));
  std::deque<Cluster> all;
  for (unsigned i = 0; i < teams; ++i) grid.teams.push_back(&all.emplace_back(grid, blocks));
  const Job job = [&](unsigned slot) {
    this_worker().work(grid, &all[slot / blocks], slot % blocks);
  };
  const unsigned slots = teams * blocks;
  if (slots <= most_slots && cluster_threads().run(slots, job)) return;
  std::vector<std::thread> others;
  for (unsigned slot = 1; slot < slots; ++slot) others.emplace_back(job, slot);
  job(0);
  for (std::thread& other : others) other.join();
}

}  // namespace simt
