#pragma once

// Warp-wide operations: shuffles, votes, matches, reductions. Each is a rendezvous of the lanes
// that its mask names; the last lane to arrive computes every lane's result.

#include <simt/self.h>
#include <simt/sync.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace simt {

enum class WarpOp : unsigned char {
  sync,
  shfl,
  shfl_up,
  shfl_down,
  shfl_xor,
  all,
  any,
  uni,
  ballot,
  match_any,
  match_all,
  reduce_add,
  reduce_min,
  reduce_max,
  reduce_umin,
  reduce_umax,
  reduce_and,
  reduce_or,
  reduce_xor,
  together,
};

// What a lane brings to the rendezvous and takes from it.
struct WarpArgs {
  unsigned char value[16];  // in: the operand; out: the result
  unsigned size;            // bytes of value in use
  int argument;             // source lane, delta or xor mask of a shuffle
  int width;                // segment width of a shuffle
  int predicate;            // out: second result of match_all
};

// `args` lies on the lane's stack and stays valid while the lane waits.
void warp_rendezvous(WarpOp op, unsigned mask, WarpArgs& args, Site site);
unsigned active_mask(Site site);

template <class T>
inline T warp_shuffle(WarpOp op, unsigned mask, T value, int argument, int width, Site site) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(WarpArgs::value));
  WarpArgs args;
  std::memcpy(args.value, &value, sizeof(T));
  args.size = sizeof(T);
  args.argument = argument;
  args.width = width;
  warp_rendezvous(op, mask, args, site);
  std::memcpy(&value, args.value, sizeof(T));
  return value;
}

// Runs work(data) once, when all 32 lanes of the warp have brought their data, data[lane]. Returns
// the lanes that came: if some have left the kernel, nothing was done.
using WarpWork = void (*)(void* const* data);
inline unsigned warp_together(void* data, WarpWork work, Site site) {
  WarpArgs args;
  std::memcpy(args.value, &data, sizeof data);
  std::memcpy(args.value + sizeof data, &work, sizeof work);
  args.size = sizeof data + sizeof work;
  warp_rendezvous(WarpOp::together, 0xffffffffu, args, site);
  return static_cast<unsigned>(args.argument);
}

// A 4-byte value in, a 4-byte result out.
inline unsigned warp_word(WarpOp op, unsigned mask, unsigned value, Site site) {
  WarpArgs args;
  std::memcpy(args.value, &value, sizeof value);
  args.size = sizeof value;
  warp_rendezvous(op, mask, args, site);
  std::memcpy(&value, args.value, sizeof value);
  return value;
}

template <class T>
inline unsigned warp_match(WarpOp op, unsigned mask, T value, int* predicate, Site site) {
  WarpArgs args;
  std::memcpy(args.value, &value, sizeof(T));
  args.size = sizeof(T);
  warp_rendezvous(op, mask, args, site);
  if (predicate != nullptr) *predicate = args.predicate;
  unsigned lanes;
  std::memcpy(&lanes, args.value, sizeof lanes);
  return lanes;
}

// Types other than the arithmetic ones that may be shuffled. The headers that define such a type
// (half, bfloat16 and their pairs) specialise this.
template <class T>
inline constexpr bool is_shuffle_class = false;

template <class T>
inline constexpr bool can_shuffle = (std::is_arithmetic_v<T> && !std::is_same_v<T, long double> &&
                                     sizeof(T) >= 4) ||
                                    is_shuffle_class<T>;

// CUDA's shuffles are overloads for int, float and so on: smaller integers and enumerations convert
// to int there.
template <class T>
using ShuffleType =
    std::conditional_t<can_shuffle<T>, T,
                       std::conditional_t<std::is_integral_v<T> || std::is_enum_v<T>, int, void>>;

// The same for matches.
template <class T>
using MatchType = std::conditional_t<std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8),
                                     T, std::conditional_t<std::is_integral_v<T>, int, void>>;
template <class T>
inline constexpr bool can_match = !std::is_void_v<MatchType<T>>;

template <class T>
inline constexpr bool is_shuffled = !std::is_void_v<ShuffleType<T>>;

}  // namespace simt

#define SIMT_SHUFFLE(NAME, OP, PARAM, ARG)                                                         \
  template <class T, std::enable_if_t<simt::is_shuffled<T>, int> = 0>                              \
  inline simt::ShuffleType<T> NAME(unsigned mask, T value, PARAM ARG, int width = 32, SIMT_HERE) { \
    return simt::warp_shuffle<simt::ShuffleType<T>>(simt::WarpOp::OP, mask,                        \
                                                    static_cast<simt::ShuffleType<T>>(value),      \
                                                    static_cast<int>(ARG), width, {file, line});   \
  }

SIMT_SHUFFLE(__shfl_sync, shfl, int, source)
SIMT_SHUFFLE(__shfl_up_sync, shfl_up, unsigned, delta)
SIMT_SHUFFLE(__shfl_down_sync, shfl_down, unsigned, delta)
SIMT_SHUFFLE(__shfl_xor_sync, shfl_xor, int, lane_mask)
#undef SIMT_SHUFFLE

inline void __syncwarp(unsigned mask = 0xffffffffu, SIMT_HERE) {
  simt::warp_word(simt::WarpOp::sync, mask, 0, {file, line});
}
inline int __all_sync(unsigned mask, int predicate, SIMT_HERE) {
  return static_cast<int>(simt::warp_word(simt::WarpOp::all, mask, predicate != 0, {file, line}));
}
inline int __any_sync(unsigned mask, int predicate, SIMT_HERE) {
  return static_cast<int>(simt::warp_word(simt::WarpOp::any, mask, predicate != 0, {file, line}));
}
inline int __uni_sync(unsigned mask, int predicate, SIMT_HERE) {
  return static_cast<int>(simt::warp_word(simt::WarpOp::uni, mask, predicate != 0, {file, line}));
}
inline unsigned __ballot_sync(unsigned mask, int predicate, SIMT_HERE) {
  return simt::warp_word(simt::WarpOp::ballot, mask, predicate != 0, {file, line});
}
inline unsigned __activemask(SIMT_HERE) {
  return simt::active_mask({file, line});
}

// The forms of before Volta, which name no lanes: those that are here take part.
template <class T>
inline T __shfl(T value, int lane, int width = 32, SIMT_HERE) {
  return __shfl_sync(simt::active_mask({file, line}), value, lane, width, file, line);
}
template <class T>
inline T __shfl_up(T value, unsigned delta, int width = 32, SIMT_HERE) {
  return __shfl_up_sync(simt::active_mask({file, line}), value, delta, width, file, line);
}
template <class T>
inline T __shfl_down(T value, unsigned delta, int width = 32, SIMT_HERE) {
  return __shfl_down_sync(simt::active_mask({file, line}), value, delta, width, file, line);
}
template <class T>
inline T __shfl_xor(T value, int mask, int width = 32, SIMT_HERE) {
  return __shfl_xor_sync(simt::active_mask({file, line}), value, mask, width, file, line);
}
inline int __all(int predicate, SIMT_HERE) {
  return __all_sync(simt::active_mask({file, line}), predicate, file, line);
}
inline int __any(int predicate, SIMT_HERE) {
  return __any_sync(simt::active_mask({file, line}), predicate, file, line);
}
inline unsigned __ballot(int predicate, SIMT_HERE) {
  return __ballot_sync(simt::active_mask({file, line}), predicate, file, line);
}

namespace simt {

// Around stores to volatile arrays (see simt/cc/translate/rewrite_volatile.cpp): the lanes that are
// here go on together. It orders nothing for the checks: the program has said nothing of the sort.
inline void step(SIMT_HERE) {
  if (front != nullptr) active_mask({file, line});
}
template <class T>
T in_step(T value, SIMT_HERE) {
  step(file, line);
  return value;
}

}  // namespace simt

template <class T, std::enable_if_t<simt::can_match<T>, int> = 0>
inline unsigned __match_any_sync(unsigned mask, T value, SIMT_HERE) {
  return simt::warp_match<simt::MatchType<T>>(simt::WarpOp::match_any, mask, value, nullptr,
                                              {file, line});
}
template <class T, std::enable_if_t<simt::can_match<T>, int> = 0>
inline unsigned __match_all_sync(unsigned mask, T value, int* predicate, SIMT_HERE) {
  return simt::warp_match<simt::MatchType<T>>(simt::WarpOp::match_all, mask, value, predicate,
                                              {file, line});
}

#define SIMT_REDUCE(NAME, TYPE, OP)                                                           \
  inline TYPE NAME(unsigned mask, TYPE value, SIMT_HERE) {                                    \
    return static_cast<TYPE>(                                                                 \
        simt::warp_word(simt::WarpOp::OP, mask, static_cast<unsigned>(value), {file, line})); \
  }

SIMT_REDUCE(__reduce_add_sync, int, reduce_add)
SIMT_REDUCE(__reduce_add_sync, unsigned, reduce_add)
SIMT_REDUCE(__reduce_min_sync, int, reduce_min)
SIMT_REDUCE(__reduce_min_sync, unsigned, reduce_umin)
SIMT_REDUCE(__reduce_max_sync, int, reduce_max)
SIMT_REDUCE(__reduce_max_sync, unsigned, reduce_umax)
SIMT_REDUCE(__reduce_and_sync, unsigned, reduce_and)
SIMT_REDUCE(__reduce_or_sync, unsigned, reduce_or)
SIMT_REDUCE(__reduce_xor_sync, unsigned, reduce_xor)
#undef SIMT_REDUCE
