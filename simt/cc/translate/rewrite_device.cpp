// __device__ and __constant__ variables: their linkage, and what the checks are told about them.

#include "translate/rewrite.h"

namespace simt::cc {
namespace {

// Bytes without data, in each of the sections a variable may be in. The compiler keeps the order.
// Of .bss, assemblers keep static variables in a part of their own.
std::string zone() {
  std::string text = " asm(\"";
  for (const char* section : {".bss,0", ".bss,1", ".data", ".rodata"}) {
    text += std::string(".pushsection ") + section + "\\n.skip 128\\n.popsection\\n";
  }
  return text + "\"); ";
}

}  // namespace

// `__device__ alignas(16) int x;`: an attribute in front of the type comes before `static`.
void qualify_variable(Source& s, Index at, bool own) {
  s.replace(at, at, "");
  if (!own) return;
  Index last = at;
  for (Index i = at + 1; i < s.size(); ++i) {
    if ((s.is(i, Word::alignas_) && s.is(i + 1, '(')) || (s.is(i, '[') && s.is(i + 1, '['))) {
      i = s.match(s.is(i, '[') ? i : i + 1);
      if (i == none) return;  // the compiler says so
      last = i;
    } else if (s[i].kind != Kind::directive && !s.is(i, Word::device_) &&
               !s.is(i, Word::variable_) && !s.is(i, Word::mark_)) {
      break;
    }
  }
  s.insert_after(last, " static __attribute__((unused)) ");
}

void watch_variable(Source& s, Index begin, Index at, bool counted) {
  while (begin < at && s[begin].kind == Kind::directive) ++begin;
  const Index end = declaration_end(s, at);
  if (end == none) return;
  bool constant = false;
  for (Index i = begin; i < end; i = s.after(i)) {
    constant = constant || s.text(i) == "__simt_constant__";
    // Defined elsewhere, or not by itself a definition.
    const bool no_definition = s.is(i, Word::extern_) || s.text(i) == "using" ||
                               s.text(i) == "typedef" || s.text(i) == "friend";
    if (no_definition || s.is(i, Word::struct_)) return;
  }
  std::string tail;
  for (const Index name : declared_names(s, at + 1, end)) {
    if (name <= at || s.is(name - 1, Word::scope_)) return;  // a member, defined here
    const std::string text(s.text(name));
    tail += " [[maybe_unused]] static const bool simt_watched_" + text +
            " = (::simt_check_variable(\"" + text + "\", &" + text + ", sizeof(" + text +
            (counted && constant ? ")), ::simt_xray_constant(\"" + text + "\", &" + text +
                                       ", sizeof(" + text + ")), true);"
                                 : ")), true);");
  }
  if (tail.empty()) return;
  s.insert_before(begin, zone());
  s.insert_after(end, tail + zone());
}

void watch_variable_template(Source& s, Index begin, Index at) {
  for (Index i = at + 1; i < s.size() && !s.is(i, '=') && !s.is(i, ';') && !s.is(i, '{'); ++i) {
    if (s.is(i, '<') && s.close_angle(i) != none) i = s.close_angle(i);
    if (!s.is(i, '(')) continue;
    const bool of_type = s.is(i - 1, Word::alignas_) || s.is(i - 1, Word::attribute_) ||
                         s.is(i - 1, Word::decltype_);
    if (!of_type || s.match(i) == none) return;  // a function
    i = s.match(i);
  }
  while (s[begin].kind == Kind::directive) ++begin;
  s.insert_before(begin, "[[maybe_unused]] static const bool simt_template_" +
                             std::to_string(begin) +
                             " = (::simt_check_variable_template(), true); ");
}

}  // namespace simt::cc
