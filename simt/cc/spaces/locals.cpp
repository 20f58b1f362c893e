#include "spaces/locals.h"

#include <algorithm>
#include <array>

#include "spaces/parameters.h"

namespace simt::cc::spaces {

bool is_statement_word(std::string_view word) {
  static constexpr std::array<std::string_view, 31> words = {
      "return",   "delete",  "throw",         "goto",      "new",      "else",      "case",
      "using",    "typedef", "sizeof",        "if",        "for",      "while",     "do",
      "switch",   "break",   "continue",      "default",   "try",      "catch",     "this",
      "operator", "asm",     "static_assert", "co_return", "co_await", "namespace", "template",
      "true",     "false",   "nullptr"};
  return std::find(words.begin(), words.end(), word) != words.end();
}

namespace {

// Behind a type's name: `a::b<c>::d`. none if there is none.
Index past_path(const OwnTokens& t, Index i) {
  if (t.is(i, Word::scope_)) ++i;
  for (;;) {
    if (!t.is_name(i) || is_statement_word(t.text(i)) || is_specifier(t, i)) return none;
    ++i;
    if (t.is(i, '<') && !t.is_launch(i)) {
      const Index close = t.close_angle(i);
      if (close == none) return none;
      i = close + 1;
    }
    if (!t.is(i, Word::scope_)) return i;
    ++i;
    if (t.is(i, Word::template_)) ++i;
  }
}

bool ends_declarator(const OwnTokens& t, Index i) {
  return t.is(i, '=') || t.is(i, ';') || t.is(i, ',') || t.is(i, '[') || t.is(i, '{') ||
         t.is(i, '(') || t.is(i, ':') || t.is(i, ')');
}

// The other variables of a declaration, behind a comma each.
void more_names(const OwnTokens& t, Index i, Index end, LocalDeclaration& d) {
  for (; i < end && !t.is(i, ';') && !t.is(i, ')') && !t.is(i, '}'); i = t.after(i)) {
    if (!t.is(i, ',')) continue;
    Index name = i + 1;
    while (t.is(name, '*') || t.is(name, '&') || is_specifier(t, name)) ++name;
    if (t.is_name(name) && ends_declarator(t, name + 1) && !t.is(name + 1, '(')) {
      d.names.push_back(name);
    } else if (t.is_name(name) && t.is(name + 1, '(')) {
      d.names.push_back(name);
    }
  }
}

}  // namespace

bool read_local_declaration(const OwnTokens& t, Index i, Index end, LocalDeclaration& d) {
  bool basic = false;
  const auto specifiers = [&] {
    for (;; ++i) {
      i = skip_attributes(t, i);
      if (!is_specifier(t, i)) return;
      const Word w = t[i].word;
      if (w == Word::shared_) d.is_shared = true;
      if (w == Word::static_) d.is_static = true;
      if (w == Word::extern_) d.is_extern = true;
      if (w == Word::constexpr_) d.is_constexpr = true;
      if (w == Word::const_) d.is_const = true;
      if (w == Word::device_ || w == Word::variable_) d.qualifier = i;
      if (t.is(i, "thread_local")) d.thread_local_ = i;
    }
  };
  specifiers();
  d.type_begin = i;
  while (t.is_name(i) && is_type_keyword(t.text(i))) {
    d.is_auto = d.is_auto || t.is(i, "auto");
    basic = true;
    ++i;
    specifiers();
  }
  if (!basic && t.is(i, Word::decltype_) && t.is(i + 1, '(')) {
    i = t.after(i + 1);
    basic = true;
  }
  if (!basic) {
    if (t.is(i, Word::struct_)) ++i;
    i = past_path(t, i);
    if (i == none) return false;
  }
  d.type_end = i;
  specifiers();
  bool pointers = false;
  while (t.is(i, '*') || t.is(i, '&') || t.is(i, "&&") || is_specifier(t, i)) {
    if (t.is(i, '*')) d.is_pointer = true;
    if (t.is(i, '&') || t.is(i, "&&")) d.is_reference = true;
    pointers = true;
    ++i;
  }
  if (d.is_auto && t.is(i, '[') && t.match(i) != none) {  // auto [a, b] = ...
    for (Index name = i + 1; name < t.match(i); ++name) {
      if (t.is_name(name)) d.names.push_back(name);
    }
    return true;
  }
  if (t.is(i, '(') && t.is(i + 1, '*') && t.is_name(i + 2)) {  // int (*f)(int)
    d.is_pointer = true;
    d.names.push_back(i + 2);
    return true;
  }
  if (!t.is_name(i) || is_statement_word(t.text(i)) || !ends_declarator(t, i + 1)) return false;
  if (pointers && !basic && (t.is(i + 1, '(') || t.is(i + 1, '{'))) return false;
  if (t.is(i + 1, ')') && !d.is_reference && !pointers) return false;
  d.names.push_back(i);
  more_names(t, i + 1, end, d);
  return true;
}

}  // namespace simt::cc::spaces
