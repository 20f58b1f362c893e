#pragma once

// From addresses of code to lines of the source: all of them at once, since each call of addr2line
// reads the debug information again.

#include <map>
#include <string>
#include <vector>

namespace simt::xray {

struct Line {
  std::string file;
  unsigned line = 0;
};
// From the innermost function that was inlined there to the kernel; simt's own headers left out.
using Frames = std::vector<Line>;

std::map<const void*, Frames> find_lines(const std::vector<const void*>& addresses);

// The text of a line, without the blanks around it.
std::string text_of(const Line& line);

}  // namespace simt::xray
