#pragma once

// PTX instructions, as the functions that inline PTX becomes (cc/ptx/tables.h has the tables).

#include <simt/async_copy.h>
#include <simt/cluster.h>
#include <simt/fault.h>
#include <simt/memory_barrier.h>
#include <simt/ptx_async.h>
#include <simt/ptx_compare.h>
#include <simt/ptx_convert.h>
#include <simt/ptx_float.h>
#include <simt/ptx_integer.h>
#include <simt/ptx_matrix.h>
#include <simt/ptx_matrix_double.h>
#include <simt/ptx_memory.h>
#include <simt/ptx_small.h>
#include <simt/ptx_values.h>
#include <simt/ptx_video.h>
#include <simt/ptx_warp.h>
#include <simt/shared.h>
#include <simt/sync.h>

#include <type_traits>

namespace simt::ptx {

[[noreturn]] inline void trap(SIMT_HERE) {
  ::simt::trap({file, line});
}
inline void membar() {
  __threadfence_system();
}

// Barriers.
inline void bar_sync(unsigned id, unsigned threads = 0, SIMT_HERE) {
  named_barrier_sync(id, threads, {file, line});
}
template <Barrier How>
int bar_red(unsigned id, unsigned threads, bool predicate, SIMT_HERE) {
  return named_barrier_reduce(id, threads, How, predicate, {file, line});
}
inline void bar_arrive(unsigned id, unsigned threads, SIMT_HERE) {
  named_barrier_arrive(id, threads, {file, line});
}
inline void cluster_arrive(SIMT_HERE) {
  barrier_arrive(BarrierScope::cluster, {file, line});
}
inline void cluster_wait(SIMT_HERE) {
  barrier_wait(BarrierScope::cluster, {file, line});
}

inline void nanosleep(unsigned time) {
  __nanosleep(time);
}
inline void performance_event(unsigned) {}
inline void breakpoint() {
  __brkpt();
}

inline unsigned activemask(SIMT_HERE) {
  return active_mask({file, line});
}

// Asynchronous copies; `to` is a shared address, the bytes past `given` are cleared.
inline void cp_async(unsigned to, unsigned long long from, unsigned size, unsigned given = ~0u,
                     SIMT_HERE) {
  checked_async_copy(shared_pointer(to), reinterpret_cast<const void*>(from), size,
                     given < size ? size - given : 0, {file, line});
}

// An operand with the constraint "l" may be a pointer.
inline unsigned long long wide(const volatile void* pointer) {
  return reinterpret_cast<unsigned long long>(pointer);
}
template <class T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
inline unsigned long long wide(T number) {
  return static_cast<unsigned long long>(number);
}

}  // namespace simt::ptx
