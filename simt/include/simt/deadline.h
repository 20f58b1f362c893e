#pragma once

// The end of a wait that is given a duration: std::chrono's or cuda::std::chrono's.

#include <chrono>

namespace simt {

class Deadline {
 public:
  template <class Duration>
  explicit Deadline(const Duration& time)
      : end_(Clock::now() +
             std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(
                 static_cast<double>(time.count()) * static_cast<double>(Duration::period::num) /
                 static_cast<double>(Duration::period::den)))) {}

  bool is_over() const { return Clock::now() >= end_; }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point end_;
};

}  // namespace simt
