#pragma once

// Inline PTX between the lanes of a warp: shfl, vote, match, redux.

#include <simt/ptx_values.h>
#include <simt/warp.h>

namespace simt::ptx {

// A result and the predicate that some instructions give beside it.
struct Two {
  unsigned value;
  bool flag;
};

enum class Shuffle { up, down, bfly, idx };

// `limits`: the last (or, for "up", first) lane of a segment, and above it the bits of a lane's
// number that name its segment.
template <Shuffle How>
Two shfl(unsigned value, unsigned by, unsigned limits, unsigned members, SIMT_HERE) {
  const unsigned lane = lane_id(), segment = limits >> 8 & 31u, clamp = limits & 31u;
  const unsigned last = (lane & segment) | (clamp & ~segment);
  by &= 31u;
  const unsigned source = How == Shuffle::up     ? lane - by
                          : How == Shuffle::down ? lane + by
                          : How == Shuffle::bfly ? lane ^ by
                                                 : (lane & segment) | (by & ~segment);
  const bool inside =
      How == Shuffle::up ? static_cast<int>(source) >= static_cast<int>(last) : source <= last;
  const unsigned from = inside ? source : lane;
  return {warp_shuffle<unsigned>(WarpOp::shfl, members, value, static_cast<int>(from), 32,
                                 {file, line}),
          inside};
}

template <WarpOp How>
unsigned vote(bool predicate, unsigned members, SIMT_HERE) {
  return warp_word(How, members, predicate, {file, line});
}

template <class T>
Two match_any(T value, unsigned members, SIMT_HERE) {
  return {warp_match<T>(WarpOp::match_any, members, value, nullptr, {file, line}), true};
}
template <class T>
Two match_all(T value, unsigned members, SIMT_HERE) {
  int all = 0;
  const unsigned lanes = warp_match<T>(WarpOp::match_all, members, value, &all, {file, line});
  return {lanes, all != 0};
}

template <WarpOp How>
unsigned redux(unsigned value, unsigned members, SIMT_HERE) {
  return warp_word(How, members, value, {file, line});
}

}  // namespace simt::ptx
