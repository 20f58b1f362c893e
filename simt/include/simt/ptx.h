#pragma once

// PTX instructions, as the functions that inline PTX becomes (cc/ptx/tables.h has the tables).
// The approximate ones give the accurate result. ".ftz" takes and gives zero for subnormal numbers.

#include <simt/async_copy.h>
#include <simt/cluster.h>
#include <simt/fault.h>
#include <simt/math_standard.h>
#include <simt/memory_barrier.h>
#include <simt/ptx_async.h>
#include <simt/ptx_matrix.h>
#include <simt/ptx_matrix_double.h>
#include <simt/ptx_memory.h>
#include <simt/ptx_small.h>
#include <simt/ptx_values.h>
#include <simt/ptx_warp.h>
#include <simt/shared.h>
#include <simt/sync.h>

#include <cmath>
#include <limits>
#include <type_traits>

namespace simt::ptx {

inline float flush(float x) {
  return std::fabs(x) < std::numeric_limits<float>::min() ? std::copysign(0.0f, x) : x;
}

inline float ex2_approx(float x) {
  return std::exp2(x);
}
inline float ex2_approx_ftz(float x) {
  return flush(ex2_approx(flush(x)));
}
inline float lg2_approx(float x) {
  return std::log2(x);
}
inline float lg2_approx_ftz(float x) {
  return lg2_approx(flush(x));
}
inline float rcp_approx(float x) {
  return 1.0f / x;
}
inline float rcp_approx_ftz(float x) {
  return flush(rcp_approx(flush(x)));
}
inline float rsqrt_approx(float x) {
  return ::rsqrtf(x);
}
inline float rsqrt_approx_ftz(float x) {
  return rsqrt_approx(flush(x));
}
inline float sqrt_approx(float x) {
  return std::sqrt(x);
}
inline float sqrt_approx_ftz(float x) {
  return sqrt_approx(flush(x));
}
inline float tanh_approx(float x) {
  return std::tanh(x);
}
inline float fma_rn(float a, float b, float c) {
  return std::fma(a, b, c);
}
inline float fma_rn_ftz(float a, float b, float c) {
  return flush(std::fma(flush(a), flush(b), flush(c)));
}

// +0 is greater than -0. A NaN loses against a number, or wins with ".NaN".
inline float max(float a, float b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == b) return std::signbit(a) ? b : a;
  return a < b ? b : a;
}
inline float min(float a, float b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == b) return std::signbit(a) ? a : b;
  return b < a ? b : a;
}
inline float canonical_nan() {
  return __builtin_bit_cast(float, 0x7fffffffu);
}
inline float max_nan(float a, float b) {
  return std::isnan(a) || std::isnan(b) ? canonical_nan() : max(a, b);
}
inline float min_nan(float a, float b) {
  return std::isnan(a) || std::isnan(b) ? canonical_nan() : min(a, b);
}

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
inline void bar_arrive(unsigned id, unsigned threads, SIMT_HERE) {
  named_barrier_arrive(id, threads, {file, line});
}
inline void cluster_arrive(SIMT_HERE) {
  barrier_arrive(BarrierScope::cluster, {file, line});
}
inline void cluster_wait(SIMT_HERE) {
  barrier_wait(BarrierScope::cluster, {file, line});
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
