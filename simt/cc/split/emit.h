#pragma once

// The text of a kernel's second body.

#include <string>
#include <string_view>
#include <vector>

#include "split/plan.h"

namespace simt::cc {

// Where the tokens of the preprocessed text lie in its sources.
class Lines {
 public:
  Lines(const Source& source, std::string_view text);
  // `\n# 12 "file" 3\n`, so that what follows has the line of the token, and no warnings.
  std::string marker(Index token) const;
  // The same without the 3, unless the token is in a system's header; and blanks, so that what
  // follows the token keeps its column.
  std::string back_to(Index token) const;

 private:
  struct Mark {
    std::uint32_t offset;  // of the line behind it
    unsigned line;
    std::string file;  // with its quotes
    bool system;
  };
  std::string at(Index token, bool system) const;
  const Mark& before(Index token) const;

  const Source& s_;
  std::string_view text_;
  std::vector<Mark> marks_;
};

std::string emit_kernel(const Source& source, std::string_view text, const Lines& lines,
                        const Variables& names, const Plan& plan, bool checked);

}  // namespace simt::cc
