// The OS threads that run blocks.

#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

#include "scheduler/grid.h"
#include "scheduler/worker.h"

namespace simt {

unsigned pool_size() {
  static const unsigned size = [] {
    const char* text = std::getenv("SIMT_THREADS");
    const long wanted = text != nullptr ? std::atol(text) : 0;
    const unsigned found = std::max(1u, std::thread::hardware_concurrency());
    return wanted > 0 ? static_cast<unsigned>(std::min(wanted, 1024L)) : found;
  }();
  return size;
}

namespace {

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

class Pool {
 public:
  explicit Pool(unsigned helpers) {
    for (unsigned i = 0; i < helpers; ++i) std::thread([this] { help(); }).detach();
  }

  // False when another host thread has the helpers: the caller then works alone.
  bool run(Grid& grid) {
    std::unique_lock running(running_, std::try_to_lock);
    if (!running.owns_lock()) return false;
    {
      const std::lock_guard lock(mutex_);
      grid_ = &grid;
      posted_.fetch_add(1, std::memory_order_release);
    }
    wake_.notify_all();
    this_worker().work(grid);
    std::unique_lock lock(mutex_);
    grid_ = nullptr;  // helpers that wake up from now on find nothing
    done_.wait(lock, [this] { return working_ == 0; });
    return true;
  }

 private:
  void help() {
    std::uint64_t seen = 0;
    for (;;) {
      // Launches often follow each other closely: look for a moment before sleeping.
      for (int i = 0; i < 2000 && posted_.load(std::memory_order_acquire) == seen; ++i) relax();
      Grid* grid;
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [&] { return posted_.load(std::memory_order_relaxed) != seen; });
        seen = posted_.load(std::memory_order_relaxed);
        grid = grid_;
        if (grid == nullptr) continue;
        ++working_;
      }
      this_worker().work(*grid);
      {
        const std::lock_guard lock(mutex_);
        --working_;
      }
      done_.notify_one();
    }
  }

  std::mutex running_;  // held by the host thread whose grid the helpers work on
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::atomic<std::uint64_t> posted_{0};
  Grid* grid_ = nullptr;
  unsigned working_ = 0;
};

// Leaked on purpose: the helpers outlive static destruction. After a fork the child has no helpers,
// so it gets a pool of its own.
Pool& pool() {
  static std::mutex mutex;
  static Pool* current = nullptr;
  static pid_t owner = 0;
  const std::lock_guard lock(mutex);
  if (current == nullptr || owner != getpid()) {
    current = new Pool(pool_size() - 1);
    owner = getpid();
  }
  return *current;
}

}  // namespace

void run_on_pool(Grid& grid) {
  const bool alone = grid.block_count == 1 || in_kernel() || pool_size() == 1;
  if (alone || !pool().run(grid)) this_worker().work(grid);
}

void run_resident(Grid& grid) {
  std::vector<std::thread> others;
  for (std::uint64_t i = 1; i < grid.block_count; ++i) {
    others.emplace_back([&grid] { this_worker().work(grid); });
  }
  this_worker().work(grid);
  for (std::thread& other : others) other.join();
}

}  // namespace simt
