// Angles in whole turns: frequencies from the host, the range reduction in two instructions.
#pragma once
#include <cstdint>
#include <string>

#include "ops/attention/frequency.cuh"

namespace warpath::rope {
namespace {

constexpr int most_pairs = 256;

// Turns per position. A kernel parameter: the host makes it, nothing is copied.
struct Table {
  double turns[most_pairs];
};

// pow takes the host some 3 us for 64 pairs. Calls mostly repeat the last one's: it is kept.
inline Table table_of(const Scaling& is, int pairs) {
  struct Made {
    Scaling scaling{};
    int pairs = 0;
    Table table{};
  };
  static thread_local Made last;
  const Scaling& was = last.scaling;
  if (last.pairs != pairs || is.base != was.base || is.factor != was.factor || is.low != was.low ||
      is.high != was.high || is.original_max_position != was.original_max_position) {
    last.scaling = is;
    last.pairs = pairs;
    for (int i = 0; i < pairs; ++i)
      last.table.turns[i] = frequency(is, i, pairs) / (2 * 3.14159265358979323846);
  }
  return last.table;
}

inline std::string few_pairs(int pairs) {
  return pairs <= most_pairs ? "" : "it takes heads of up to 512 rotated elements";
}

struct Turn {
  float c, s;
};

// Whole turns are taken off exactly, in double; what is left, at most half a turn, is rounded to float.
__device__ __forceinline__ Turn turn_at(std::int64_t position, double turns_per_position) {
  const double turns = double(position) * turns_per_position;
  Turn t;
  sincospif(2 * float(turns - rint(turns)), &t.s, &t.c);
  return t;
}

}  // namespace
}  // namespace warpath::rope
