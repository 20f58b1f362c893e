#pragma once

// A limit to how long a kernel runs (SIMT_TIMEOUT=SECONDS, or `warpath cc --timeout SECONDS`), and its
// end by Ctrl-C where a program asks for that. Where there is neither, a kernel that runs for long is
// told (SIMT_SLOW=SECONDS), and Ctrl-C says in which kernel and line it found the program.

#include "scheduler/grid.h"

namespace simt {

// Watches a launch for as long as it lives.
class TimeLimit {
 public:
  explicit TimeLimit(Grid& grid);
  ~TimeLimit();
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

 private:
  Grid& grid_;
};

// The OS thread works on the grid: it can be interrupted there.
class Working {
 public:
  explicit Working(Grid& grid);
  ~Working();
  Working(const Working&) = delete;
  Working& operator=(const Working&) = delete;

 private:
  Grid& grid_;
};

// What this thread launches while it lives runs in the time that `grid` had: what the grid launched.
class InTimeOf {
 public:
  explicit InTimeOf(const Grid& grid);
  ~InTimeOf();
  InTimeOf(const InTimeOf&) = delete;
  InTimeOf& operator=(const InTimeOf&) = delete;

 private:
  const Grid* before_;
};

// What `grid` launched may begin no more: its time is over, or Ctrl-C was pressed. Then that is its fault.
bool ended_late(Grid& grid);

// Seconds that a kernel may run; 0: as long as it likes.
double time_limit();

// Ctrl-C was pressed and is to end what this thread has launched.
bool user_stops();

// In the handler of a fault: does not return if the fault is that of a look at the stack.
void give_up_note();

// On the OS thread's own stack, when a block has been left from the signal's handler.
void take_interrupts_again();

}  // namespace simt

// Called by programs that were compiled with --timeout, when they are loaded.
extern "C" void simt_choose_timeout(double seconds);

// Sets the limit for launches from now on, whatever the environment and --timeout say; 0: none. Returns
// the one before. Looked up by name, as the next two are.
extern "C" double simt_set_timeout(double seconds);

// From the first call to the second, both in one thread, Ctrl-C (SIGINT) ends the kernels which that
// thread has launched, as a time limit does, and then reaches the handler that was there. For an
// interpreter whose handler only notes the signal. May be nested. The first returns false, and is not to
// be ended, where the program has no handler; the second returns whether Ctrl-C was pressed.
extern "C" bool simt_begin_interruptible();
extern "C" bool simt_end_interruptible();
