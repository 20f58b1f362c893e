#pragma once

// What nvcc refuses and a C++ compiler does not: calls between host and device code, variables of
// the other side, words on declarations that cannot be there. Judged are the user's own files, by
// their tokens: where a name may stand for several things, nothing is said.

#include <string>
#include <string_view>
#include <vector>

#include "translate/source.h"

namespace simt::cc::spaces {

struct Options {
  bool linked = false;             // -rdc=true
  bool relaxed_constexpr = false;  // --expt-relaxed-constexpr
  bool extended_lambda = false;    // --extended-lambda
  bool cpp20 = false;
  // The user's files ask for __CUDA_ARCH__: a function for both sides may have a body for each, of
  // which only the device's is there.
  bool asks_for_arch = false;
};

struct Findings {
  std::vector<Finding> errors, warnings;
  // Variables of the host, `a` or `n::a` (first and last token), where a call needs one of the
  // device: a GPU answers cudaErrorInvalidSymbol when the program runs.
  std::vector<Range> no_symbols;
};

// The user's own files among those of a preprocessed text.
std::vector<std::string> own_files(std::string_view preprocessed);

Findings judge(const Source& source, const Options& options);

}  // namespace simt::cc::spaces
