#pragma once

// The C++ compiler's messages, rewritten as messages about the user's files: with their lines and
// columns, without simt's own headers and names.

#include <string>

#include "messages/source_map.h"

namespace simt::cc {

class Diagnostics {
 public:
  // `include` is the folder of simt's headers.
  Diagnostics(const SourceMap& map, std::string include)
      : map_(map), include_(std::move(include)) {}

  std::string rewrite(const std::string& messages) const;
  // "file:line:column: kind: text", the line, and a caret below.
  std::string message(const SourceLocation& location, const std::string& kind,
                      const std::string& text) const;

 private:
  friend class Rewriter;
  const SourceMap& map_;
  std::string include_;
};

// The options that make `compiler` write messages as rewrite() reads them.
std::vector<std::string> diagnostic_options(bool clang);

}  // namespace simt::cc
