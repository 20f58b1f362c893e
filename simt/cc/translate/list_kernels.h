#pragma once

// Which kernels a preprocessed file defines, for programs that launch them by name
// (--list-kernels).

#include <string>
#include <string_view>

namespace simt::cc {

// {"kernels": [{"name", "template", "parameters": [{"type", "name"}], "file", "line"}], "files":
// […]} as JSON: the kernels defined outside of system headers, with their namespaces, and every
// file that is none of the system's. Types are as written; "template" is the parameter list, empty
// for none.
std::string list_kernels(std::string_view preprocessed);

}  // namespace simt::cc
