#include <algorithm>
#include <array>

#include "translate/rewrite.h"

namespace simt::cc {
namespace {

bool is_type_word(std::string_view name) {
  static constexpr std::array words = {"class", "typename", "int",    "unsigned", "signed", "long",
                                       "short", "char",     "bool",   "float",    "double", "auto",
                                       "const", "void",     "size_t", "volatile", "wchar_t"};
  return std::find(words.begin(), words.end(), name) != words.end();
}

// The name of the template parameter in [begin, end), with "..." behind that of a pack; "" if it has
// none, or is too unusual.
std::string parameter_name(const Source& s, Index begin, Index end) {
  for (Index i = begin; i < end; i = s.after(i)) {
    if (s.is(i, '=')) end = i;  // a default
  }
  if (end < begin + 2) return "";
  const Index name = end - 1;
  if (!s.is_name(name) || is_type_word(s.text(name)) || s.is(name - 1, Word::scope_)) return "";
  const bool pack = s.text(name - 1) == "..." || s.is(name - 1, '.');
  return std::string(s.text(name)) + (pack ? "..." : "");
}

}  // namespace

std::string template_arguments(const Source& s, Index head) {
  const Index open = head + 1;
  const Index close = s.is(open, '<') ? s.close_angle(open) : none;
  if (close == none || s.is(close + 1, Word::template_)) return "";
  std::string arguments;
  Index begin = open + 1;
  for (Index i = begin; i <= close; ++i) {
    if (s.is(i, '<') && i < close) {
      const Index inner = s.close_angle(i);
      if (inner == none) return "";
      i = inner;
    } else if (s.is(i, '(') || s.is(i, '{') || s.is(i, '[')) {
      i = s.last_of(i);
    } else if (i == close || s.is(i, ',')) {
      const std::string name = parameter_name(s, begin, i);
      if (name.empty()) return "";
      arguments += (arguments.empty() ? "" : ", ") + name;
      begin = i + 1;
    }
  }
  return arguments;
}

}  // namespace simt::cc
