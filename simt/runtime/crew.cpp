// OS threads for blocks that wait for each other, which must all run at the same time. They are
// kept from launch to launch, and with them their stacks and shared memory: making those anew would
// cost more than a small kernel does.

#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "cluster.h"
#include "grid.h"
#include "worker.h"

namespace simt {
namespace {

using Job = std::function<void(unsigned seat)>;

class Crew {
 public:
  // Runs job(0) on the calling thread and job(1) .. job(seats - 1) each on its own. False when
  // another launch has the crew.
  bool run(unsigned seats, const Job& job) {
    std::unique_lock running(running_, std::try_to_lock);
    if (!running.owns_lock()) return false;
    {
      const std::lock_guard lock(mutex_);
      while (helpers_ + 1 < seats) {
        const unsigned seat = ++helpers_;
        std::thread([this, seat, seen = posted_] { help(seat, seen); }).detach();
      }
      job_ = &job;
      seats_ = seats;
      left_ = seats - 1;
      ++posted_;
    }
    wake_.notify_all();
    job(0);
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return left_ == 0; });
    return true;
  }

 private:
  void help(unsigned seat, std::uint64_t seen) {
    for (;;) {
      const Job* job;
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [&] { return posted_ != seen; });
        seen = posted_;
        if (seat >= seats_) continue;
        job = job_;
      }
      (*job)(seat);
      const std::lock_guard lock(mutex_);
      if (--left_ == 0) done_.notify_one();
    }
  }

  std::mutex running_;  // held by the launch that the crew works on
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  const Job* job_ = nullptr;
  unsigned helpers_ = 0, seats_ = 0, left_ = 0;
  std::uint64_t posted_ = 0;
};

// Leaked, and made anew after a fork, like the pool.
Crew& crew() {
  static std::mutex mutex;
  static Crew* current = nullptr;
  static pid_t owner = 0;
  const std::lock_guard lock(mutex);
  if (current == nullptr || owner != getpid()) {
    current = new Crew;
    owner = getpid();
  }
  return *current;
}

// Each keeps stacks for a whole block, so there is a limit to what more cores would help.
constexpr unsigned most_seats = 32;

}  // namespace

void run_clusters(Grid& grid) {
  const unsigned blocks = grid.cluster_blocks;
  const std::uint64_t clusters = grid.block_count / blocks;
  const unsigned fitting = std::max(std::min(pool_size(), most_seats) / blocks, 1u);
  // The clusters of a cooperative grid wait for each other too.
  const auto teams = static_cast<unsigned>(
      grid.config.cooperative ? clusters : std::min<std::uint64_t>(fitting, clusters));
  std::deque<Cluster> all;
  for (unsigned i = 0; i < teams; ++i) grid.teams.push_back(&all.emplace_back(grid, blocks));
  const Job job = [&](unsigned seat) {
    this_worker().work(grid, &all[seat / blocks], seat % blocks);
  };
  const unsigned seats = teams * blocks;
  if (seats <= most_seats && crew().run(seats, job)) return;
  std::vector<std::thread> others;
  for (unsigned seat = 1; seat < seats; ++seat) others.emplace_back(job, seat);
  job(0);
  for (std::thread& other : others) other.join();
}

}  // namespace simt
