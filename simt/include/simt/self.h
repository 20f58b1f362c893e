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
  unsigned next_thread;     // linear id of the first thread that has not started
  unsigned thread_count;    // threads of the block
  unsigned current;         // linear id of the running thread
  unsigned waiting;         // threads that wait for others
  unsigned exited_count;    // threads that have returned
  unsigned spins;           // calls of spin_hint since the last look around
  uint3 next_index;         // threadIdx of next_thread
  unsigned exited[32];      // for each warp, the lanes that have returned
  char* static_shared;      // start of the block's statically sized shared memory
  char* dynamic_shared;     // start of its dynamic shared memory
  unsigned grid_generation; // names the grid among all launches, never 0
};

// The block this OS thread is running, or null in host code.
SIMT_TLS BlockFront* front;

inline bool in_kernel() { return front != nullptr; }
inline unsigned thread_rank() { return front->current; }
inline unsigned lane_id() { return front->current & 31u; }
inline unsigned warp_id() { return front->current >> 5; }
inline unsigned lane_mask() { return 1u << lane_id(); }

// Where a waiting call stands in the source, for reports.
struct Site {
  const char* file;
  unsigned line;
};

// A thread has returned while others wait for it, perhaps.
void thread_left(BlockFront& block);

// Starts the next thread of the block on this fiber; false when all have started.
inline bool begin_thread(BlockFront& block) {
  const unsigned id = block.next_thread;
  if (id == block.thread_count) return false;
  block.next_thread = id + 1;
  block.current = id;
  uint3& next = block.next_index;
  threadIdx = next;
  if (++next.x == blockDim.x) {
    next.x = 0;
    if (++next.y == blockDim.y) {
      next.y = 0;
      ++next.z;
    }
  }
  return true;
}

inline void end_thread(BlockFront& block) {
  const unsigned id = block.current;
  block.exited[id >> 5] |= 1u << (id & 31u);
  ++block.exited_count;
  if (block.waiting != 0) thread_left(block);
}

// Lets other threads of the block and other blocks go on. Everything a thread may spin on calls
// spin_hint, which looks around once in a while.
void look_around();

inline void spin_hint() {
  if (front != nullptr && (++front->spins & 63u) == 0) look_around();
}

}  // namespace simt
