#pragma once

// The stop watch of the CUDA samples' helper headers: milliseconds of a host clock.

#include <chrono>

class StopWatchInterface {
 public:
  void start() {
    begin_ = Clock::now();
    running_ = true;
  }
  void stop() {
    last_ = since_start();
    total_ += last_;
    ++sessions_;
    running_ = false;
  }
  void reset() {
    last_ = total_ = 0;
    sessions_ = 0;
    begin_ = Clock::now();
  }
  float getTime() const { return running_ ? since_start() : total_; }
  float getAverageTime() const {
    return sessions_ > 0 ? total_ / static_cast<float>(sessions_) : 0;
  }

 private:
  using Clock = std::chrono::steady_clock;
  float since_start() const {
    return std::chrono::duration<float, std::milli>(Clock::now() - begin_).count();
  }
  Clock::time_point begin_;
  bool running_ = false;
  float last_ = 0, total_ = 0;
  int sessions_ = 0;
};

inline bool sdkCreateTimer(StopWatchInterface** timer) {
  *timer = new StopWatchInterface;
  return true;
}
inline bool sdkDeleteTimer(StopWatchInterface** timer) {
  delete *timer;
  *timer = nullptr;
  return true;
}
inline bool sdkStartTimer(StopWatchInterface** timer) {
  (*timer)->start();
  return true;
}
inline bool sdkStopTimer(StopWatchInterface** timer) {
  (*timer)->stop();
  return true;
}
inline bool sdkResetTimer(StopWatchInterface** timer) {
  (*timer)->reset();
  return true;
}
inline float sdkGetTimerValue(StopWatchInterface** timer) {
  return (*timer)->getTime();
}
inline float sdkGetAverageTimerValue(StopWatchInterface** timer) {
  return (*timer)->getAverageTime();
}
