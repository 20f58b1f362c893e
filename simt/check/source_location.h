#pragma once

// From addresses of code to lines of the source.

#include <simt/self.h>

#include <string>

namespace simt::check {

struct SourceLocation {
  std::string file;  // full path; empty when it is not known
  unsigned line = 0;
  bool own = false;      // all of it is simt's own code
  bool library = false;  // all of it is, or Thrust's, CUB's or libcu++'s
  // The line of a header's function that was called here, where the access itself is.
  std::string inside_file{};
  unsigned inside_line = 0;

  bool known() const { return !file.empty(); }
};

// The source line of the call that returns to pc: the innermost frame in the program's own files, else in a library's.
const SourceLocation& location_of(const void* pc);

// The location of a site, in the file that `near`, some code, comes from or beside it; and a
// stand-in for the address of code there.
SourceLocation location_of(Site site, const void* near);
const void* pc_of(Site site, const void* near);
const void* pc_of(const SourceLocation& location);

// "file:line" without folders; "" when it is not known.
std::string short_name(const SourceLocation& location);
// The line itself, without the space around it.
std::string source_text(const SourceLocation& location);
// What the line's allocation is called there: "a" of cudaMalloc(&a, n), also a texture or surface object. "" if that cannot be told.
std::string allocated_name(const SourceLocation& location);

}  // namespace simt::check
