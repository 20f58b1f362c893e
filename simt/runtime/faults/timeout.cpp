#include "faults/timeout.h"

#include <link.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

#include "faults/report.h"
#include "scheduler/block.h"

namespace simt {
namespace {

using Clock = std::chrono::steady_clock;

double chosen_seconds = 0;

double limit() {
  static const double seconds = [] {
    const char* text = std::getenv("SIMT_TIMEOUT");
    if (has_debugger) return 0.0;
    if (text == nullptr || *text == '\0') return chosen_seconds;
    char* end = nullptr;
    const double given = std::strtod(text, &end);
    if (*end == '\0' && given >= 0) return given;
    std::fprintf(stderr, "simt: SIMT_TIMEOUT='%s' is no number of seconds: no limit\n", text);
    return 0.0;
  }();
  return seconds;
}

int interrupt_signal() {
  return SIGRTMIN + 7;
}

// Code that a thread must not be torn out of, for it may hold a lock.
struct Text {
  const char* begin;
  const char* end;
};
std::vector<Text> locking_code;

int note_module(dl_phdr_info* info, std::size_t, void*) {
  static constexpr std::array names = {"/libsimt",    "/libc.so",     "/libc-",
                                       "/ld-",        "/libstdc++",   "/libgcc_s",
                                       "/libpthread", "/libopenblas", "linux-vdso"};
  const bool locks = std::any_of(names.begin(), names.end(), [&](const char* name) {
    return std::strstr(info->dlpi_name, name) != nullptr;
  });
  for (int i = 0; locks && i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
    const char* begin = reinterpret_cast<const char*>(info->dlpi_addr + part.p_vaddr);
    locking_code.push_back({begin, begin + part.p_memsz});
  }
  return 0;
}

std::string late_text(const Grid& grid) {
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%g", limit());
  return "simt: kernel '" + std::string(name_of(grid)) + "' was stopped: it ran longer than " +
         seconds + " s (SIMT_TIMEOUT)\n";
}

// Whether the OS thread has a signal under way. Signals of this kind queue: on a busy machine many
// would arrive at once, each with a frame of some KiB on the small stack they are taken on.
__thread std::atomic<bool> signalled __attribute__((tls_model("initial-exec")));

bool holds_locks(const char* code) {
  return std::any_of(locking_code.begin(), locking_code.end(),
                     [&](const Text& text) { return code >= text.begin && code < text.end; });
}

// In a thread that works on a grid whose time is over. In code that may hold a lock it does
// nothing: another signal comes soon. The signal is blocked while this runs.
void on_interrupt(int, siginfo_t*, void* context) {
  const char* code = static_cast<const char*>(instruction_of(context));
  if (front == nullptr || current_block().grid == nullptr || holds_locks(code)) {
    signalled = false;
    return;
  }
  Block& block = current_block();
  block.interrupted = true;  // it takes signals again when the block has been left
  const std::string place = describe_interrupted(code);
  block.grid->record_fault(cudaErrorLaunchTimeout,
                           late_text(*block.grid) + "  block " + describe(blockIdx) + ", thread " +
                               describe(threadIdx) + (place.empty() ? "" : " was at " + place) +
                               "\n");
  block.leave();
}

class Watchdog {
 public:
  Watchdog() {
    dl_iterate_phdr(&note_module, nullptr);
    struct sigaction action = {};
    action.sa_sigaction = &on_interrupt;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(interrupt_signal(), &action, nullptr);
    std::thread([this] { watch(); }).detach();
  }

  void add(Grid& grid) {
    const auto time = std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(std::min(limit(), 1e9)));
    {
      const std::lock_guard lock(mutex_);
      watched_.push_back({&grid, Clock::now() + time, 0});
    }
    changed_.notify_one();
  }

  void remove(Grid& grid) {
    const std::lock_guard lock(mutex_);
    watched_.remove_if([&](const Watched& w) { return w.grid == &grid; });
  }

 private:
  struct Watched {
    Grid* grid;
    Clock::time_point due;
    unsigned tries;
  };

  void watch() {
    std::unique_lock lock(mutex_);
    for (;;) {
      if (watched_.empty()) {
        changed_.wait(lock);
        continue;
      }
      const auto first =
          std::min_element(watched_.begin(), watched_.end(),
                           [](const Watched& a, const Watched& b) { return a.due < b.due; });
      const auto due = first->due;
      if (Clock::now() < due) {
        changed_.wait_until(lock, due);
        continue;
      }
      interrupt(*first);
    }
  }

  void interrupt(Watched& late) {
    // Threads that never are in the kernel's own code leave at the next place that looks.
    if (++late.tries == 500) {
      late.grid->record_fault(cudaErrorLaunchTimeout, late_text(*late.grid));
    }
    const std::lock_guard lock(late.grid->workers_mutex);
    for (const Worked& worker : late.grid->workers) {
      if (!worker.signalled->exchange(true)) pthread_kill(worker.thread, interrupt_signal());
    }
    late.due = Clock::now() + std::chrono::milliseconds(late.tries < 500 ? 2 : 50);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Watched> watched_;
};

// Leaked, and made again after a fork, like the pool.
Watchdog& watchdog() {
  static std::mutex mutex;
  static Watchdog* current = nullptr;
  static pid_t owner = 0;
  const std::lock_guard lock(mutex);
  if (current == nullptr || owner != getpid()) {
    current = new Watchdog;
    owner = getpid();
  }
  return *current;
}

}  // namespace

// A launch inside a kernel runs in that one's time.
TimeLimit::TimeLimit(Grid& grid) : grid_(grid) {
  if (limit() <= 0 || in_kernel()) return;
  grid.has_limit = true;
  watchdog().add(grid);
}

TimeLimit::~TimeLimit() {
  if (grid_.has_limit) watchdog().remove(grid_);
}

Working::Working(Grid& grid) : grid_(grid) {
  if (!grid.has_limit) return;
  const std::lock_guard lock(grid.workers_mutex);
  grid.workers.push_back({pthread_self(), &signalled});
}

Working::~Working() {
  if (!grid_.has_limit) return;
  const std::lock_guard lock(grid_.workers_mutex);
  std::erase_if(grid_.workers, [](const Worked& w) { return w.signalled == &signalled; });
}

double time_limit() {
  return limit();
}

void take_interrupts_again() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, interrupt_signal());
  signalled = false;
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

}  // namespace simt

void simt_choose_timeout(double seconds) {
  simt::chosen_seconds = seconds;
}
