#pragma once

// The C++ compiler's messages, told as messages about the user's files: their lines and columns, and
// nothing of simt's own headers and names.

#include <string>

#include "places.h"

namespace simt::cc {

class Diagnostics {
 public:
  // `include` is the folder of simt's headers.
  Diagnostics(const Places& places, std::string include)
      : places_(places), include_(std::move(include)) {}

  std::string rewrite(const std::string& messages) const;
  // "file:line:column: kind: text", the line, and a caret below.
  std::string message(const Place& place, const std::string& kind, const std::string& text) const;

 private:
  friend class Rewriter;
  const Places& places_;
  std::string include_;
};

// The options that make `compiler` write messages as rewrite() reads them.
std::vector<std::string> diagnostic_options(const std::string& compiler);

}  // namespace simt::cc
