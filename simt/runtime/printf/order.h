#pragma once

// The order of what the threads of a block print.

#include <cstddef>
#include <string>
#include <vector>

namespace simt {

// One printf: where its text begins in the block's, and what places it among those of its warp.
struct Printed {
  std::size_t begin;
  int line;  // of the printf
  const char* format;
  unsigned thread;
  unsigned phase;  // counts what the lanes of its warp waited for together
  unsigned spins;  // of the block: see spin_hint
};

// The block's text as a GPU writes it: there the lanes of a warp come to a printf together, so the
// texts of one printf stand together; here threads run one after the other.
std::string in_warp_order(const std::string& text, const std::vector<Printed>& printed);

}  // namespace simt
