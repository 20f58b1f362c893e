// Ctrl-C while a kernel runs on the CPU. Python only notes the signal and raises KeyboardInterrupt when its main thread
// is back in Python, which a kernel that never ends does not let happen.
#pragma once
#include "python/src/ladder.h"

namespace warpath::python {

// Ctrl-C ends the kernels launched while it lives: in Python's main thread, if Python's own handler is in place. A
// handler of the user's may not want it: it runs after the kernel, as it does after any other C function.
class Interruptible {
 public:
  explicit Interruptible(const Runtime& runtime);
  ~Interruptible() {
    if (end_) end_();
  }
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

 private:
  bool (*end_)() = nullptr;
};

}  // namespace warpath::python
