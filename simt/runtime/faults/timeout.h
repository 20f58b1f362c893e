#pragma once

// A limit to how long a kernel runs: SIMT_TIMEOUT=SECONDS, or `warpath cc --timeout SECONDS`.

#include "scheduler/grid.h"

namespace simt {

// Watches a launch for as long as it lives. Without a limit it does nothing.
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

// Seconds that a kernel may run; 0: as long as it likes.
double time_limit();

// On the OS thread's own stack, when a block has been left from the signal's handler.
void take_interrupts_again();

}  // namespace simt

// Called by programs that were compiled with --timeout, when they are loaded.
extern "C" void simt_choose_timeout(double seconds);
