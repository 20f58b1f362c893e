#include "faults/timeout.h"

#include <execinfo.h>
#include <link.h>
#include <pthread.h>
#include <semaphore.h>
#include <simt/errors.h>
#include <unistd.h>
#include <unwind.h>

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
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "api/internal.h"
#include "faults/report.h"
#include "scheduler/block.h"

namespace simt {
namespace {

using Clock = std::chrono::steady_clock;

double chosen_seconds = 0;
std::atomic<double> set_seconds{-1};  // by simt_set_timeout: above all others

// The seconds that an environment variable gives, or `fallback`.
double seconds_in(const char* variable, double fallback, const char* otherwise) {
  const char* text = std::getenv(variable);
  if (text == nullptr || *text == '\0') return fallback;
  char* end = nullptr;
  const double given = std::strtod(text, &end);
  if (*end == '\0' && given >= 0) return std::min(given, 1e9);
  std::fprintf(stderr, "simt: %s='%s' is no number of seconds: %s\n", variable, text, otherwise);
  return 0;
}

double limit() {
  if (const double set = set_seconds; set >= 0) return set;
  static const double seconds =
      has_debugger ? 0.0 : seconds_in("SIMT_TIMEOUT", chosen_seconds, "no limit");
  return seconds;
}

// When a kernel without a limit is told to run for long; 0: never.
double slow_after() {
  static const double seconds = seconds_in("SIMT_SLOW", 10, "no kernel is told to run for long");
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

// Ctrl-C was pressed in a program that has no handler of its own: it ends, and says where it was.
std::atomic<bool> ends_by_ctrl_c{false};

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

// What lies behind the grid's part of the stack is the host's: it would be taken for the kernel's line.
struct Walk {
  int depth = 0;
  WhereAt* to;
};
_Unwind_Reason_Code note_frame(_Unwind_Context* context, void* data) {
  Walk& walk = *static_cast<Walk*>(data);
  const auto* const frame = reinterpret_cast<const char*>(_Unwind_GetCFA(context));
  const char* const bottom = walk.to->bottom;
  if (bottom != nullptr && frame >= bottom && frame < bottom + 4096) return _URC_END_OF_STACK;
  walk.to->frames[walk.depth++] = reinterpret_cast<void*>(_Unwind_GetIP(context));
  return walk.depth < static_cast<int>(std::size(walk.to->frames)) ? _URC_NO_REASON
                                                                   : _URC_END_OF_STACK;
}

void note_place() {
  if (last_place.depth != 0) return;
  if (sigsetjmp(before_note, 0) == 0) {
    noting = true;
    last_place.block = blockIdx;
    last_place.thread = threadIdx;
    Walk walk{0, &last_place};
    _Unwind_Backtrace(&note_frame, &walk);
    last_place.depth = walk.depth;
  }
  noting = false;
}

// In a thread that works on a grid whose time is over. In code that may hold a lock it does
// nothing: another signal comes soon. The signal is blocked while this runs.
void on_interrupt(int, siginfo_t*, void* context) {
  const char* code = static_cast<const char*>(instruction_of(context));
  const bool working = front != nullptr && current_block().grid != nullptr;
  if (!working || last_place.only_look || holds_locks(code)) {
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

void on_plain_ctrl_c(int);

// A program that handles Ctrl-C, ignores it or shows reports in its own way is left alone.
void take_plain_ctrl_c() {
  struct sigaction now;
  if (has_debugger || api::reports_are_kept() || sigaction(SIGINT, nullptr, &now) != 0) return;
  if ((now.sa_flags & SA_SIGINFO) != 0 || now.sa_handler != SIG_DFL) return;
  now.sa_handler = &on_plain_ctrl_c;
  now.sa_flags = SA_RESTART | SA_ONSTACK;
  sigaction(SIGINT, &now, nullptr);
}

void end_by_ctrl_c() {
  signal(SIGINT, SIG_DFL);
  kill(getpid(), SIGINT);
}

Clock::duration duration_of(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
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
    take_plain_ctrl_c();
    std::thread([this] { watch(); }).detach();
  }

  void add(Grid& grid) {
    const std::lock_guard lock(mutex_);
    Watched w{&grid, pthread_self(), grid.due, never, 0};
    if (limit() <= 0 && slow_after() > 0) w.told = grid.began + duration_of(slow_after());
    watched_.push_back(w);
    if (std::min(w.due, w.told) < next_look_ || ctrl_c.asked) wake();
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
    Clock::time_point told;  // when it is told to run for long
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
      if (w.told <= now) tell_slow(w);
      next = std::min({next, w.due, w.told});
    }
    if (ends_by_ctrl_c) tell_end();
    return next_look_ = next;
  }

  // Once for each kernel: a program may launch many that take their time.
  void tell_slow(Watched& w) {
    w.told = never;
    if (api::reports_are_kept() || !told_.insert(name_of(*w.grid)).second) return;
    const std::string time = seconds_since(w.grid->began), place = where(*w.grid);
    show_report(
        "simt: kernel '" + std::string(name_of(*w.grid)) + "' has run for " + time +
        " s and goes on" + (place.empty() ? "" : "; " + place) +
        ". Ctrl-C ends the program; --timeout SECONDS (or SIMT_TIMEOUT) gives kernels a limit\n");
  }

  // The longest one is the one that somebody waits for.
  void tell_end() {
    const auto first = std::min_element(
        watched_.begin(), watched_.end(),
        [](const Watched& a, const Watched& b) { return a.grid->began < b.grid->began; });
    if (first != watched_.end()) {
      const std::string time = seconds_since(first->grid->began), place = where(*first->grid);
      std::fprintf(stderr, "\nsimt: Ctrl-C in kernel '%s', which has run for %s s%s\n",
                   name_of(*first->grid), time.c_str(),
                   place.empty() ? "" : ("; " + place).c_str());
    }
    end_by_ctrl_c();
  }

  static std::string seconds_since(Clock::time_point time) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g",
                  std::chrono::duration<double>(Clock::now() - time).count());
    return text;
  }

  // "block (0,0,0), thread (3,0,0) is at file:line" of some thread of the grid; "" where none can be
  // asked. Several looks: between two threads of a block there is no line.
  std::string where(Grid& grid) {
    note_modules();
    for (int tries = 0; tries < 20; ++tries) {
      const std::lock_guard lock(grid.workers_mutex);
      for (const Worked& worker : grid.workers) {
        if (worker.signalled->exchange(true)) continue;
        worker.place->depth = 0;
        worker.place->only_look = true;
        pthread_kill(worker.thread, interrupt_signal());
        for (int wait = 0; wait < 50 && *worker.signalled; ++wait) usleep(1000);
        if (*worker.signalled)
          continue;  // it is not to be had now; the next look of any kind clears this
        worker.place->only_look = false;
        const std::string line = describe_stack(worker.place->frames, worker.place->depth);
        const std::string at = "block " + describe(worker.place->block) + ", thread " +
                               describe(worker.place->thread) + " is at " + line;
        worker.place->depth = 0;
        if (!line.empty()) return at;
      }
    }
    return "";
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
      worker.place->only_look = false;
      if (!worker.signalled->exchange(true)) pthread_kill(worker.thread, interrupt_signal());
    }
    late.due = Clock::now() + std::chrono::milliseconds(late.tries < most_tries ? 2 : 50);
  }

  std::mutex mutex_;
  sem_t wake_;
  Clock::time_point next_look_ = never;
  std::list<Watched> watched_;
  std::set<std::string> told_;  // kernels
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

// The second time nobody is waited for.
void on_plain_ctrl_c(int) {
  const int kept = errno;
  Watchdog* const dog = current_watchdog;
  if (ends_by_ctrl_c.exchange(true) || dog == nullptr) {
    end_by_ctrl_c();
  } else {
    dog->wake();
  }
  errno = kept;
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
  if (in_kernel() || (has_debugger && seconds <= 0 && ctrl_c.depth == 0)) return;
  grid.watched = true;
  if (parent != nullptr && parent->watched) {
    grid.began = parent->began;
    grid.due = parent->due;
  } else {
    grid.began = Clock::now();
    grid.due = grid.began + duration_of(seconds > 0 ? std::min(seconds, 1e9) : 1e9);
  }
  watchdog().add(grid);
}

TimeLimit::~TimeLimit() {
  if (grid_.watched) watchdog().remove(grid_);
}

Working::Working(Grid& grid) : grid_(grid) {
  if (!grid.watched) return;
  const std::lock_guard lock(grid.workers_mutex);
  last_place.depth = 0;
  last_place.only_look = false;
  last_place.bottom = static_cast<const char*>(__builtin_frame_address(0));
  grid.workers.push_back({pthread_self(), &signalled, &last_place});
}

Working::~Working() {
  if (!grid_.watched) return;
  const std::lock_guard lock(grid_.workers_mutex);
  std::erase_if(grid_.workers, [](const Worked& w) { return w.signalled == &signalled; });
}

InTimeOf::InTimeOf(const Grid& grid) : before_(std::exchange(parent, &grid)) {}

InTimeOf::~InTimeOf() {
  parent = before_;
}

bool ended_late(Grid& grid) {
  if (!grid.watched || is_poisoned()) return false;
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
  if ((now.sa_flags & SA_SIGINFO) == 0 && (now.sa_handler == SIG_DFL || now.sa_handler == SIG_IGN ||
                                           now.sa_handler == &simt::on_plain_ctrl_c)) {
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
