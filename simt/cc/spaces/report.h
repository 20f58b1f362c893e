#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "translate/source.h"

namespace simt::cc::spaces {

// Something to say about a token of the user's. If it comes from a function's name, headers may
// declare other functions of this name, and then nothing is said.
struct Remark {
  Index place;
  bool is_warning;
  std::string what;
  std::string_view function;
};

class Report {
 public:
  void error(Index place, std::string what, std::string_view function = {}) {
    remarks.push_back({place, false, std::move(what), function});
  }
  void warning(Index place, std::string what, std::string_view function = {}) {
    remarks.push_back({place, true, std::move(what), function});
  }
  std::vector<Remark> remarks;
  // Variables of the host, `a` or `n::a`, where a call needs one of the device (cudaMemcpyToSymbol).
  std::vector<Range> no_symbols;
  // Dynamic shared memory by its namespace and name: how it was declared first.
  struct DynamicShared {
    std::string type;
    std::string function;
  };
  std::map<std::pair<const void*, std::string_view>, DynamicShared> dynamic_shared;
};

// At the end of what is said about a constexpr function.
inline constexpr const char* relaxed = "; nvcc allows it with --expt-relaxed-constexpr";

inline std::string in_quotes(std::string_view name) {
  return "'" + std::string(name) + "'";
}

}  // namespace simt::cc::spaces
