// One process at a time uses the GPU. Several runs of bench may go on side by side: while one times
// its rungs, the others draw inputs, compute references and judge.
#pragma once

namespace warpath::harness {

// Held for its lifetime, by this process; locks inside a lock cost nothing. `wanted` is false on a
// CPU backend, which needs no turns.
class DeviceLock {
 public:
  explicit DeviceLock(bool wanted);
  ~DeviceLock();
  DeviceLock(const DeviceLock&) = delete;
  DeviceLock& operator=(const DeviceLock&) = delete;

 private:
  bool held_;
};

}  // namespace warpath::harness
