#include "cli/stub.h"

#include <string_view>

#include "cli/source_text.h"

namespace warpath::cli {
namespace {

constexpr std::size_t none = std::string::npos;

// The end of the bracket that opens at `open`.
std::size_t closing(const std::string& code, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < code.size(); ++i) {
    if (code[i] == '{' || code[i] == '(') ++depth;
    if ((code[i] == '}' || code[i] == ')') && --depth == 0) return i;
  }
  return none;
}

// The brace that opens the body of the function declared from `at` on; none for a declaration alone.
std::size_t body_of(const std::string& code, std::size_t at) {
  for (std::size_t i = at; i < code.size(); ++i) {
    if (code[i] == '(') i = closing(code, i);
    if (i == none || code[i] == ';') return none;
    if (code[i] == '{') return i;
  }
  return none;
}

std::string indent_of(const std::string& text, std::size_t at) {
  const std::size_t line = text.rfind('\n', at);
  const std::size_t begin = line == none ? 0 : line + 1;
  return text.substr(begin, text.find_first_not_of(' ', begin) - begin);
}

Stub without_bodies(const std::string& source, std::string_view space) {
  const std::string code = only_code(source);
  Stub stub;
  std::size_t copied = 0;
  for (std::size_t at = find_word(code, space, 0); at != none;
       at = find_word(code, space, at + 1)) {
    const std::size_t open = body_of(code, at);
    if (open == none) continue;
    const std::size_t close = closing(code, open);
    const std::string head = code.substr(at, open - at);
    if (close == none || find_word(head, "auto", 0) != none) continue;
    const std::string indent = indent_of(source, at);
    stub.text.append(source, copied, open + 1 - copied);
    stub.text += "\n" + indent + "  // Your code here.\n" + indent;
    if (space != "__global__" && find_word(head, "void", 0) == none)
      stub.text += "  return {};\n" + indent;
    copied = close;
    at = close;
    ++stub.left_out;
  }
  stub.text.append(source, copied);
  return stub;
}

}  // namespace

Stub make_stub(const std::string& source) {
  Stub kernels = without_bodies(source, "__global__");
  return kernels.left_out > 0 ? kernels : without_bodies(source, "__device__");
}

}  // namespace warpath::cli
