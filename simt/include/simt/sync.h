#pragma once

// Barriers of a block, memory fences, clocks.
// Each waiting call carries its source position, so that a deadlock can name it.

#include <simt/self.h>

#include <cstddef>
#include <ctime>

#define SIMT_HERE const char *file = __builtin_FILE(), unsigned line = __builtin_LINE()

namespace simt {

enum class Barrier : unsigned char { sync, count, all, any };

// Barrier 0, which every thread of the block takes part in; returns the combined predicates.
int block_barrier(Barrier kind, int predicate, Site site);

// PTX's named barriers: `bar.sync id, n`, `bar.red` and `bar.arrive id, n`. n == 0 means the whole
// block.
void named_barrier_sync(unsigned id, unsigned threads, Site site);
int named_barrier_reduce(unsigned id, unsigned threads, Barrier kind, bool predicate, Site site);
void named_barrier_arrive(unsigned id, unsigned threads, Site site);

// The barrier of the running thread's tile of 64 to 1024 threads. A tile that the block's end cuts
// short has fewer.
void tile_barrier(unsigned size, Site site);
// What the tile's threads hand each other: each publishes where its value lies, which it must leave
// there up to the tile's next barrier; then any of them may read, by the thread's rank in the
// block. False when there is no such thread.
void tile_publish(const void* value, unsigned size, Site site);
bool tile_read(unsigned thread, void* to, std::size_t size);

// Barrier over all blocks of a cooperative launch.
void grid_barrier(Site site);
bool is_cooperative_grid();

inline void fence() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  spin_hint();
}

void sleep_for(unsigned nanoseconds);
long long read_clock();

}  // namespace simt

inline void __syncthreads(SIMT_HERE) {
  simt::block_barrier(simt::Barrier::sync, 0, {file, line});
}
inline int __syncthreads_count(int predicate, SIMT_HERE) {
  return simt::block_barrier(simt::Barrier::count, predicate, {file, line});
}
inline int __syncthreads_and(int predicate, SIMT_HERE) {
  return simt::block_barrier(simt::Barrier::all, predicate, {file, line});
}
inline int __syncthreads_or(int predicate, SIMT_HERE) {
  return simt::block_barrier(simt::Barrier::any, predicate, {file, line});
}
inline void __barrier_sync(unsigned id, SIMT_HERE) {
  simt::named_barrier_sync(id, 0, {file, line});
}
inline void __barrier_sync_count(unsigned id, unsigned count, SIMT_HERE) {
  simt::named_barrier_sync(id, count, {file, line});
}

inline void __threadfence() {
  simt::fence();
}
inline void __threadfence_block() {
  simt::fence();
}
inline void __threadfence_system() {
  simt::fence();
}

inline void __nanosleep(unsigned nanoseconds) {
  simt::sleep_for(nanoseconds);
}
inline long long clock64() {
  simt::spin_hint();
  return simt::read_clock();
}
namespace simt {
// Device code's clock() counts cycles and host code's counts CPU time; both are clock_t.
inline clock_t device_clock() {
  return in_kernel() ? static_cast<clock_t>(clock64()) : ::clock();
}
inline unsigned long long global_timer() {
  spin_hint();
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<unsigned long long>(now.tv_sec) * 1000000000ull +
         static_cast<unsigned long long>(now.tv_nsec);
}
}  // namespace simt
