#pragma once

// Fibers: stacks that CUDA threads run on. A fiber is not bound to one CUDA thread: it runs thread
// after thread, and only a thread that waits keeps its fiber.

#include <cstddef>
#include <memory>
#include <vector>

#include "scheduler/context.h"

namespace simt {

struct Block;

struct Fiber {
  Context context = {};       // where it goes on while idle
  char* stack_low = nullptr;  // lowest usable byte; the guard page lies below
  char* stack_high = nullptr;
  Fiber* next_idle = nullptr;
  Block* owner = nullptr;  // the block that is using it, null while idle
};

// The fibers of one OS thread. Stacks are kept until the OS thread ends.
class FiberPool {
 public:
  explicit FiberPool(ContextEntry entry) : entry_(entry) {}
  ~FiberPool();
  FiberPool(const FiberPool&) = delete;
  FiberPool& operator=(const FiberPool&) = delete;

  Fiber* take(Block* owner) {
    if (idle_ == nullptr) grow();
    Fiber* fiber = idle_;
    idle_ = fiber->next_idle;
    fiber->owner = owner;
    return fiber;
  }
  void give(Fiber* fiber) {
    fiber->owner = nullptr;
    fiber->next_idle = idle_;
    idle_ = fiber;
  }

  // Takes back every fiber of a block that was abandoned; what ran on them is forgotten.
  void reset(Block* owner);

  bool on_a_stack(const void* address) const;

 private:
  void grow();
  void make_fresh(Fiber& fiber);

  struct Slab {
    char* memory;
    std::size_t size;
  };
  ContextEntry entry_;
  Fiber* idle_ = nullptr;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Slab> slabs_;
};

}  // namespace simt
