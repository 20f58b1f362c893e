#include "faults/timeout.h"

#include <execinfo.h>
#include <link.h>
#include <pthread.h>
#include <semaphore.h>
#include <simt/errors.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <list>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "faults/report.h"
#include "scheduler/block.h"

namespace simt {
namespace {

using Clock = std::chrono::steady_clock;

double chosen_seconds = 0;
std::atomic<double> set_seconds{-1};  // by simt_set_timeout: above all others

double limit() {
  if (const double set = set_seconds; set >= 0) return set;
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
using Texts = std::vector<Text>;
std::atomic<const Texts*> locking_code{
    nullptr};  // of the libraries that are loaded; old lists are kept

int note_module(dl_phdr_info* info, std::size_t, void* list) {
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
    static_cast<Texts*>(list)->push_back({begin, begin + part.p_memsz});
  }
  return 0;
}

// Ctrl-C, between simt_begin_interruptible and simt_end_interruptible.
struct CtrlC {
  std::atomic<int> depth{0};
  std::atomic<bool> asked{false};   // it was pressed
  std::atomic<pthread_t> thread{};  // whose kernels end
  struct sigaction before;
};
CtrlC ctrl_c;

bool user_stops(pthread_t launcher) {
  return ctrl_c.asked && pthread_equal(ctrl_c.thread, launcher) != 0;
}

std::string late_text(const Grid& grid) {
  if (grid.stopped_by_user)
    return "simt: kernel '" + std::string(name_of(grid)) + "' was stopped by Ctrl-C\n";
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%g", limit());
  return "simt: kernel '" + std::string(name_of(grid)) + "' was stopped: it ran longer than " +
         seconds + " s (SIMT_TIMEOUT)\n";
}

// Whether the OS thread has a signal under way. Signals of this kind queue: on a busy machine many
// would arrive at once, each with a frame of some KiB on the small stack they are taken on.
__thread std::atomic<bool> signalled __attribute__((tls_model("initial-exec")));

// A program may load more of them while it runs.
void note_modules() {
  auto* const list = new Texts;
  dl_iterate_phdr(&note_module, list);
  const Texts* const before = locking_code;
  if (before != nullptr && before->size() == list->size()) {
    delete list;
  } else {
    locking_code = list;
  }
}

bool holds_locks(const char* code) {
  const Texts& all = *locking_code;
  return std::any_of(all.begin(), all.end(),
                     [&](const Text& text) { return code >= text.begin && code < text.end; });
}

// Where this OS thread was in such code when it was interrupted: a thread that polls is hardly ever
// anywhere else.
thread_local WhereAt last_place;

// Between two stacks there is nothing that backtrace could follow: then it faults.
__thread sigjmp_buf before_note;
__thread volatile bool noting;

void note_place() {
  if (last_place.depth != 0) return;
  if (sigsetjmp(before_note, 0) == 0) {
    noting = true;
    last_place.block = blockIdx;
    last_place.thread = threadIdx;
    last_place.depth = backtrace(last_place.frames, static_cast<int>(std::size(last_place.frames)));
  }
  noting = false;
}

// In a thread that works on a grid whose time is over. In code that may hold a lock it does
// nothing: another signal comes soon. The signal is blocked while this runs.
void on_interrupt(int, siginfo_t*, void* context) {
  const char* code = static_cast<const char*>(instruction_of(context));
  const bool working = front != nullptr && current_block().grid != nullptr;
  if (!working || holds_locks(code)) {
    if (working) note_place();
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
    sem_init(&wake_, 0, 0);
    note_modules();
    void* first[1];
    backtrace(first, 1);  // loads what it needs: later it is called in a signal's handler
    struct sigaction action = {};
    action.sa_sigaction = &on_interrupt;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(interrupt_signal(), &action, nullptr);
    std::thread([this] { watch(); }).detach();
  }

  void add(Grid& grid) {
    const std::lock_guard lock(mutex_);
    watched_.push_back({&grid, pthread_self(), grid.due, 0});
    if (grid.due < next_look_ || ctrl_c.asked) wake();
  }

  void remove(Grid& grid) {
    const std::lock_guard lock(mutex_);
    watched_.remove_if([&](const Watched& w) { return w.grid == &grid; });
  }

  // Also from a signal's handler.
  void wake() { sem_post(&wake_); }

 private:
  struct Watched {
    Grid* grid;
    pthread_t launcher;
    Clock::time_point due;
    unsigned tries;
  };
  static constexpr unsigned most_tries = 150;
  static constexpr Clock::time_point never = Clock::time_point::max();

  void watch() {
    for (;;) {
      sleep_until(look());
    }
  }

  // Stops what is late; returns when to look again. Launches that follow each other closely do not
  // wake this thread: none of them is due before the one it sleeps for.
  Clock::time_point look() {
    const std::lock_guard lock(mutex_);
    const auto now = Clock::now();
    auto next = now < next_look_ ? next_look_ : never;
    for (Watched& w : watched_) {
      if (!w.grid->stopped_by_user && user_stops(w.launcher)) {
        w.grid->stopped_by_user = true;
        w.due = now;
      }
      if (w.due <= now) interrupt(w);
      next = std::min(next, w.due);
    }
    return next_look_ = next;
  }

  void sleep_until(Clock::time_point time) {
    if (time == never) {
      sem_wait(&wake_);
      return;
    }
    const auto since = time.time_since_epoch();
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since);
    const timespec at = {seconds.count(), std::chrono::nanoseconds(since - seconds).count()};
    sem_clockwait(&wake_, CLOCK_MONOTONIC, &at);
  }

  void interrupt(Watched& late) {
    if (late.tries == 0) note_modules();
    const std::lock_guard lock(late.grid->workers_mutex);
    // Threads that never are in the kernel's own code leave at the next place that looks.
    if (++late.tries == most_tries) {
      std::string text = late_text(*late.grid);
      for (const Worked& worker : late.grid->workers) {
        if (worker.place->depth == 0) continue;
        const std::string line = describe_stack(worker.place->frames, worker.place->depth);
        if (line.empty()) continue;
        text += "  block " + describe(worker.place->block) + ", thread " +
                describe(worker.place->thread) + " was at " + line + "\n";
        break;
      }
      late.grid->record_fault(cudaErrorLaunchTimeout, text);
    }
    for (const Worked& worker : late.grid->workers) {
      if (!worker.signalled->exchange(true)) pthread_kill(worker.thread, interrupt_signal());
    }
    late.due = Clock::now() + std::chrono::milliseconds(late.tries < most_tries ? 2 : 50);
  }

  std::mutex mutex_;
  sem_t wake_;
  Clock::time_point next_look_ = never;
  std::list<Watched> watched_;
};

std::atomic<Watchdog*> current_watchdog{nullptr};  // for a signal's handler

// Leaked, and made again after a fork, like the pool.
Watchdog& watchdog() {
  static std::mutex mutex;
  static pid_t owner = 0;
  const std::lock_guard lock(mutex);
  if (current_watchdog == nullptr || owner != getpid()) {
    current_watchdog = new Watchdog;
    owner = getpid();
  }
  return *current_watchdog;
}

void on_ctrl_c(int signal, siginfo_t* info, void* context) {
  const int kept = errno;
  ctrl_c.asked = true;
  if (Watchdog* const dog = current_watchdog) dog->wake();
  if ((ctrl_c.before.sa_flags & SA_SIGINFO) != 0) {
    ctrl_c.before.sa_sigaction(signal, info, context);
  } else {
    ctrl_c.before.sa_handler(signal);
  }
  errno = kept;
}

thread_local const Grid* parent = nullptr;

}  // namespace

// A launch inside a kernel runs in that one's time.
TimeLimit::TimeLimit(Grid& grid) : grid_(grid) {
  const double seconds = limit();
  if ((seconds <= 0 && ctrl_c.depth == 0) || in_kernel()) return;
  grid.has_limit = true;
  if (parent != nullptr && parent->has_limit) {
    grid.due = parent->due;
  } else {
    const std::chrono::duration<double> time(seconds > 0 ? std::min(seconds, 1e9) : 1e9);
    grid.due = Clock::now() + std::chrono::duration_cast<Clock::duration>(time);
  }
  watchdog().add(grid);
}

TimeLimit::~TimeLimit() {
  if (grid_.has_limit) watchdog().remove(grid_);
}

Working::Working(Grid& grid) : grid_(grid) {
  if (!grid.has_limit) return;
  const std::lock_guard lock(grid.workers_mutex);
  last_place.depth = 0;
  grid.workers.push_back({pthread_self(), &signalled, &last_place});
}

Working::~Working() {
  if (!grid_.has_limit) return;
  const std::lock_guard lock(grid_.workers_mutex);
  std::erase_if(grid_.workers, [](const Worked& w) { return w.signalled == &signalled; });
}

InTimeOf::InTimeOf(const Grid& grid) : before_(std::exchange(parent, &grid)) {}

InTimeOf::~InTimeOf() {
  parent = before_;
}

bool ended_late(Grid& grid) {
  if (!grid.has_limit || is_poisoned()) return false;
  grid.stopped_by_user = user_stops();
  if (!grid.stopped_by_user && Clock::now() < grid.due) return false;
  kernel_faulted(cudaErrorLaunchTimeout, late_text(grid));
  return true;
}

double time_limit() {
  return limit();
}

bool user_stops() {
  return user_stops(pthread_self());
}

void give_up_note() {
  if (noting) siglongjmp(before_note, 1);
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

double simt_set_timeout(double seconds) {
  const double before = simt::limit();
  simt::set_seconds = seconds;
  return before;
}

bool simt_begin_interruptible() {
  simt::CtrlC& it = simt::ctrl_c;
  struct sigaction now;
  if (simt::has_debugger || sigaction(SIGINT, nullptr, &now) != 0) return false;
  if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == &simt::on_ctrl_c) {
    ++it.depth;  // or an interpreter raised before it came to the end
    it.asked = false;
    return true;
  }
  // Without a handler Ctrl-C ends the process, or nothing does.
  if ((now.sa_flags & SA_SIGINFO) == 0 &&
      (now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN)) {
    return false;
  }
  it.before = now;
  it.thread = pthread_self();
  it.asked = false;
  it.depth = 1;
  now.sa_sigaction = &simt::on_ctrl_c;
  now.sa_flags |= SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGINT, &now, nullptr);
  return true;
}

bool simt_end_interruptible() {
  simt::CtrlC& it = simt::ctrl_c;
  const bool asked = it.asked;
  if (--it.depth > 0) return asked;
  sigaction(SIGINT, &it.before, nullptr);
  it.asked = false;
  return asked;
}
