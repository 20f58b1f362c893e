#pragma once

// What is known of a kernel before it runs: __launch_bounds__, __cluster_dims__ and the bytes of its shared variables.
// The translator hands them to the kernel's registrar (simt/kernel.h). A template has none, for it
// has no address where it is defined; there the first launch tells.

#include <simt/self.h>

#include <cstddef>

namespace simt {

// Variables are added while the program is loaded.
struct StaticShared {
  std::size_t bytes = 0;

  void add(std::size_t size, std::size_t alignment) {
    bytes = (bytes + alignment - 1) / alignment * alignment + size;
  }
};

// `Kernel` is a type that stands for one kernel.
template <class Kernel>
inline StaticShared static_shared;

// One variable of it. Naming `noted` in the kernel's body is enough for it to be counted.
template <class Kernel, std::size_t Size, std::size_t Alignment, unsigned Id>
struct SharedFact {
  static inline const bool noted = (static_shared<Kernel>.add(Size, Alignment), true);
};

struct KernelFacts {
  unsigned max_threads = 0;  // of a block; 0: no bound
  const StaticShared* shared = nullptr;
  unsigned cluster[3] = {0, 0, 0};  // of __cluster_dims__; zeros without it
};

// Of __launch_bounds__(threads, blocks, cluster).
template <class... A>
constexpr unsigned launch_bound(unsigned threads, A...) {
  return threads;
}

// The host has called a kernel as a function, through a pointer: nothing runs. A kernel begins by
// asking whether that is so.
void called_without_launch(const char* kernel);

[[noreturn]] void beyond_launch_bounds(unsigned threads);

// What a template's `__launch_bounds__` becomes, as the kernel's first statement: a launch with more
// threads ends here, before the kernel did anything. Those of other kernels are known at the launch.
template <class... A>
void in_launch_bounds(unsigned threads, A...) {
  if (front != nullptr && threads != 0 && front->thread_count > threads) {
    beyond_launch_bounds(threads);
  }
}

}  // namespace simt
