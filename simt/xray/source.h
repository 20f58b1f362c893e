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
// From the innermost function that was inlined there to the kernel.
using Frames = std::vector<Line>;

// Whether a file is a header of simt or of the C++ library.
bool is_own(const std::string& file);

std::map<const void*, Frames> find_lines(const std::vector<const void*>& addresses);

// The file that a module of this process was loaded from, by the name that dladdr gives; a word of a shell's command.
std::string module_file(const char* name);
std::string quoted(const std::string& text);

// The text of a line, without the blanks around it.
std::string text_of(const Line& line);

}  // namespace simt::xray
