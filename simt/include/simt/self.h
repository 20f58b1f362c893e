#pragma once

// Who the running CUDA thread is.
//
// The index variables are plain thread-local globals: a block stays on one OS thread, and the
// scheduler writes threadIdx whenever another CUDA thread goes on. They are not const, because a
// compiler may keep a const value over the loop that runs thread after thread. The initial-exec
// model costs one load and needs no call, even from a library that was opened at run time; it is
// only allowed to be used sparingly, so nothing big may join these.

#include <vector_types.h>

#define SIMT_TLS extern __attribute__((tls_model("initial-exec"))) __thread

SIMT_TLS uint3 threadIdx;
SIMT_TLS uint3 blockIdx;
SIMT_TLS dim3 blockDim;
SIMT_TLS dim3 gridDim;

inline constexpr int warpSize = 32;

namespace simt {

// The part of a block's state that compiled kernels touch directly; the runtime's Block derives
// from it. One exists for each OS thread (and level of nested launches).
struct BlockFront {
  unsigned next_thread;      // linear id of the first thread that has not started
  unsigned thread_count;     // threads of the block
  unsigned current;          // linear id of the running thread
  unsigned spins;            // calls of spin_hint by the running thread
  unsigned parked;           // threads that had to wait at least once and have not returned
  unsigned grid_generation;  // names the grid among all launches, never 0
  char* static_shared;       // start of the block's statically sized shared memory
  char* dynamic_shared;      // start of its dynamic shared memory
};

// The block this OS thread is running, or null in host code.
SIMT_TLS BlockFront* front;

inline bool in_kernel() {
  return front != nullptr;
}
inline unsigned thread_rank() {
  return front->current;
}
inline unsigned lane_id() {
  return front->current & 31u;
}
inline unsigned warp_id() {
  return front->current >> 5;
}
inline unsigned lane_mask() {
  return 1u << lane_id();
}

// Where a waiting call stands in the source, for reports.
struct Site {
  const char* file;
  unsigned line;
};

// The running thread has returned while other threads are parked: they may wait for it.
void thread_left(BlockFront& block);

inline uint3 index_of_thread(unsigned id) {
  const unsigned row = id / blockDim.x;
  return uint3{id % blockDim.x, row % blockDim.y, row / blockDim.y};
}

// Runs threads one after the other, until all threads of the block have started. What the loop
// keeps in registers holds as long as no other fiber has started threads meanwhile; going through
// memory every time would cost more than a small kernel does.
template <class Call>
inline void run_thread_loop(BlockFront& block, const Call& call) {
  const unsigned count = block.thread_count;
  unsigned id = block.next_thread;
  if (id == count) return;
  const unsigned size_x = blockDim.x, size_y = blockDim.y;
  uint3 index = index_of_thread(id);
  for (;;) {
    block.next_thread = id + 1;
    block.current = id;
    block.spins = 0;
    threadIdx = index;
    call();
    if (block.parked != 0) thread_left(block);
    if (__builtin_expect(block.next_thread == id + 1, 1)) {
      if (++id == count) return;
      if (++index.x == size_x) {
        index.x = 0;
        if (++index.y == size_y) {
          index.y = 0;
          ++index.z;
        }
      }
    } else {
      id = block.next_thread;
      if (id == count) return;
      index = index_of_thread(id);
    }
  }
}

// Lets other threads of the block and other blocks go on. Everything a thread may spin on calls
// spin_hint, which looks around once in a while.
void look_around();

inline void spin_hint() {
  if (front != nullptr && (++front->spins & 63u) == 0) look_around();
}

}  // namespace simt
