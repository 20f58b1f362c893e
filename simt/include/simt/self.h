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
SIMT_TLS dim3 blockDim;
SIMT_TLS dim3 gridDim;
// A checked program watches every access to what may change. blockIdx does not while a thread runs;
// the others have a second name, for kernels that are compiled apart from the loop over their
// threads.
#ifdef __SIMT_CHECK__
SIMT_TLS const uint3 blockIdx;
SIMT_TLS const uint3 simt_threadIdx __asm__("threadIdx");
SIMT_TLS const uint3 simt_blockDim __asm__("blockDim");
SIMT_TLS const uint3 simt_gridDim __asm__("gridDim");
#else
SIMT_TLS uint3 blockIdx;
#endif

inline constexpr int warpSize = 32;

namespace simt {

inline constexpr unsigned fresh = ~0u;

// The part of a block's state that compiled kernels touch directly; the runtime's Block derives
// from it. One exists for each OS thread (and level of nested launches).
struct BlockFront {
  unsigned next_thread;      // linear id of the first thread that has not started
  unsigned thread_count;     // threads of the block
  unsigned current;          // linear id of the running thread if it is parked, else `fresh`
  unsigned spins;            // calls of spin_hint
  unsigned parked;           // threads that had to wait at least once and have not returned
  unsigned grid_generation;  // names the grid among all launches, never 0
  char* static_shared;       // start of the block's statically sized shared memory
  char* dynamic_shared;      // start of its dynamic shared memory
  dim3 cluster_size;         // blocks of its cluster along each axis
  unsigned cluster_rank;     // its number among them
  bool in_loops;             // kernels with a second body (simt/split.h) run that
};

// The block this OS thread is running, or null in host code.
SIMT_TLS BlockFront* front;

inline bool in_kernel() {
  return front != nullptr;
}
// A thread that never waited is the one started last: the loop below need not write down its id.
inline unsigned rank_of_running(const BlockFront& block) {
  return block.current != fresh ? block.current : block.next_thread - 1;
}
inline unsigned thread_rank() {
  return rank_of_running(*front);
}
inline unsigned lane_id() {
  return thread_rank() & 31u;
}
inline unsigned warp_id() {
  return thread_rank() >> 5;
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

// The loop over threads is none of the program's code: checked programs do not watch it.
#ifdef __SIMT_XRAY__
#define SIMT_UNWATCHED __attribute__((no_sanitize("thread", "undefined"), no_sanitize_coverage))
#elif defined(__SIMT_CHECK__)
#define SIMT_UNWATCHED __attribute__((no_sanitize("thread", "undefined")))
#else
#define SIMT_UNWATCHED
#endif
// What a GPU does not do where the program calls for it: it is none of the counts' code, nor of its branches.
#ifdef __SIMT_XRAY__
#define SIMT_UNCOUNTED SIMT_UNWATCHED
#else
#define SIMT_UNCOUNTED
#endif

SIMT_UNWATCHED inline uint3 index_of_thread(unsigned id) {
  const unsigned row = id / blockDim.x;
  return uint3{id % blockDim.x, row % blockDim.y, row / blockDim.y};
}

// Runs threads one after the other, until all threads of the block have started. As long as nobody
// is parked, no other fiber has run: then what the loop keeps in registers still holds. Going
// through memory every time would cost more than a small kernel does.
template <class Call>
SIMT_UNWATCHED inline void run_thread_loop(BlockFront& block, const Call& call) {
  const unsigned count = block.thread_count;
  const unsigned size_x = blockDim.x, size_y = blockDim.y;
  unsigned id = block.next_thread;
  if (id == count) return;
  threadIdx = index_of_thread(id);
  unsigned x = threadIdx.x;
  for (;;) {
    block.next_thread = id + 1;
    threadIdx.x = x;
    // A kernel begins by asking (simt/kernel_facts.h): inlined here, it need not.
    if (front == nullptr) __builtin_unreachable();
    call();
    if (__builtin_expect(block.parked != 0, 0)) {
      thread_left(block);
      id = block.next_thread;
      if (id == count) return;
      threadIdx = index_of_thread(id);
      x = threadIdx.x;
      continue;
    }
    if (++id == count) return;
    if (++x == size_x) {
      x = 0;
      if (++threadIdx.y == size_y) {
        threadIdx.y = 0;
        ++threadIdx.z;
      }
    }
  }
}

// Lets other threads of the block and other blocks go on, if the running thread seems to spin.
// Everything a thread may spin on calls spin_hint.
void look_around();

SIMT_UNCOUNTED inline void spin_hint() {
  if (front != nullptr && (++front->spins & 63u) == 0) look_around();
}

}  // namespace simt
