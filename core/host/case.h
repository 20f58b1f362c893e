// A case: the sizes, the kind of numbers and the alignment an op is tried on. Named, seeded by its
// name.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/host/contract.h"
#include "core/host/value.h"

namespace warpath {

using Dims = std::map<std::string, std::int64_t>;

// The shape of an argument for given dimensions; throws when one is not given.
std::vector<std::int64_t> shape_of(const ArgSpec& a, const Dims& dims);

enum class Fill {
  normal,  // N(0, 1)
  wide,    // sign and magnitude over many powers of two, what the dtype holds without overflow of a
           // sum
  extreme,  // the largest and smallest finite values beside zeros and ordinary numbers
  ties,     // few distinct values
  special,  // N(0, 1) with a sprinkle of NaN, +inf and -inf
  low,      // N(0, 1) about -200: below zero by more than exp can show
  ramp,     // grows along the last axis: every element differs from its neighbours
  uniform,  // integers of the whole range of their type; floats as `wide`
};

// How an input lies in memory, where its contract takes any strides. The first of three axes or more
// is the batch; the last two are the rows and columns of a matrix.
enum class Layout {
  rows,            // row after row, no gaps
  columns,         // column after column: the transpose of a matrix in rows
  padded,          // rows with a gap behind each, still starting at multiples of 8 elements
  padded_columns,  // the same of columns
  spread,          // no two elements are neighbours
  broadcast,       // one matrix serves the whole batch: its stride is zero
  heads_first,     // (batch, sequence, heads, dim) with the heads outside of the sequence
};

struct Case {
  std::string name = {};
  Dims dims = {};
  // The sizes of each list's tensors, by the dimension that counts them.
  std::map<std::string, std::vector<std::int64_t>> lists = {};
  Fill fill = Fill::normal;
  std::map<std::string, Value> scalars = {};  // those that differ from the contract's defaults
  std::vector<std::string> without = {};      // optional tensors that are left out
  std::vector<std::string> in_place = {};  // outputs in the memory of the input they may overwrite
  std::vector<DType> dtypes = {};          // empty: all of the contract
  std::map<std::string, DType> types =
      {};  // of single tensors, where the contract leaves them free
  std::map<std::string, Layout> layouts = {};  // of single inputs; the others lie in rows
  int offset = 0;  // every tensor starts this many elements past an aligned address
  std::map<std::string, int> offsets = {};  // single tensors that start elsewhere
  bool bench = false;                       // timed on a GPU; not run by `check` on a CPU
};

// The least work the op can do: each input read once, each output written once.
struct Cost {
  double flops = 0;
  double bytes = 0;
};

// An element passes when |got - reference| <= out_ulps * ulp(reference, output dtype) + f32_ulps *
// 2^-23 * scale.
struct Tolerance {
  double out_ulps = 1;
  double f32_ulps = 0;
};

// In place of an element's scale: it has no reference value and must only be finite. For sampled references
// (OpOptions::sampled), where all elements would take minutes.
inline constexpr double not_judged = -1e300;

}  // namespace warpath
