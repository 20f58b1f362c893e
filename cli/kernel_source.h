// What a learner's .cu file says: the kernels it defines, and the comments that say what their
// parameters are.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/host/dtype.h"
#include "harness/library.h"

namespace warpath::cli {

// A parameter of a kernel by its type as written.
struct Parameter {
  std::string type, name;
  enum Kind { pointer, integer, real, other } kind = other;
  bool constant = false;         // of a pointer: what it points to
  bool restricted = false;       // of a pointer: __restrict__
  std::optional<DType> element;  // of a pointer, where it is a type that tensors have
};
// `type`: "const float* __restrict__".
Parameter parse_parameter(const std::string& type, const std::string& name);

// // warpath: reduce<float>(x, y=0, cols, kind=max) <<<rows, 256, 1024>>>
struct Comment {
  int line = 0;
  std::string op;
  std::string template_arguments;      // without the angle brackets
  std::vector<std::string> arguments;  // of the kernel, in its order; and name=value
  std::vector<std::string> launch;     // grid, block, bytes of shared memory, as far as given
};

struct Kernel {
  std::string name;                 // with its namespaces
  std::string template_parameters;  // "class T, int N"; empty: no template
  std::vector<Parameter> parameters;
  int line = 0;
  std::optional<Comment> comment;  // the one above it

  std::string bare_name() const { return name.substr(name.rfind(':') + 1); }
};

struct KernelSource {
  std::filesystem::path file;  // absolute
  std::string text;
  std::vector<Kernel> kernels;

  std::string place(int line) const;  // "mine.cu:3"
};

// True when the file registers a rung itself.
bool registers_rung(const std::filesystem::path& file);

// Asks `warpath-cc --list-kernels`. Refuses with its message where the file does not get that far.
KernelSource read_kernels(const harness::Places& places, const std::filesystem::path& file);

// "a, f(b, c)" -> {"a", "f(b, c)"}: cut at the commas outside of brackets, without blanks around.
std::vector<std::string> split_list(const std::string& text);

std::string trimmed(const std::string& text);  // without blanks around

// The names in an expression; "3 * rows" -> {"rows"}.
std::vector<std::string> names_in(const std::string& expression);

}  // namespace warpath::cli
