// `return;` in main: a warning for nvcc, an error for g++.

#include "translate/rewrite.h"

namespace simt::cc {
namespace {

// The last token of the lambda whose '[' is here, or of the class that begins here; `i` itself if
// it is none.
Index after_inner_function(const Source& s, Index i) {
  Index at = i;
  if (s.is(i, '[')) {
    if (s.match(i) == none || s.is_name(i - 1) || s.is(i - 1, ')') || s.is(i - 1, ']')) return i;
    at = s.match(i);
  } else if (!s.is(i, Word::struct_)) {
    return i;
  }
  for (++at; at < s.size() && !s.is(at, ';') && !s.is(at, ','); ++at) {
    if (s.is(at, '{')) return s.match(at) != none ? s.match(at) : i;
    if (s.is(at, '(') && s.match(at) != none) at = s.match(at);
  }
  return i;
}

}  // namespace

void rewrite_main(Source& s, Index declaration, Index body) {
  Index name = declaration;
  while (name < body && !(s.text(name) == "main" && s.is(name + 1, '('))) ++name;
  if (name == body || name == declaration || s.text(name - 1) != "int" || s.match(body) == none)
    return;
  for (Index i = body + 1; i < s.match(body); ++i) {
    i = after_inner_function(s, i);
    if (s.text(i) == "return" && s.is(i + 1, ';')) s.replace(i, i, "return 0");
  }
}

}  // namespace simt::cc
