// Inline PTX. Reads of special registers become calls; anything else is refused by name, because a
// program that silently computes something else is worse than one that does not build.

#include <cctype>
#include <string>

#include "rewrite.h"

namespace simt::cc {
namespace {

std::string unquote(std::string_view literal) {
  const std::size_t first = literal.find('"');
  if (first == std::string_view::npos || literal.size() < first + 2) return "";
  std::string out;
  for (std::size_t i = first + 1; i + 1 < literal.size(); ++i) {
    if (literal[i] == '\\' && i + 2 < literal.size()) {
      ++i;
      out += literal[i] == 'n' || literal[i] == 't' ? ' ' : literal[i];
    } else {
      out += literal[i];
    }
  }
  return out;
}

std::string squeeze(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      if (!out.empty() && out.back() != ' ') out += ' ';
    } else {
      out += c;
    }
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

// The register that `mov.TYPE %0, %%NAME;` reads, with dots as underscores; empty if it is not one.
std::string special_register(const std::string& text) {
  if (text.rfind("mov.", 0) != 0) return "";
  const std::size_t space = text.find(' ');
  if (space == std::string::npos) return "";
  const std::string type = text.substr(4, space - 4);
  if (type != "u32" && type != "b32" && type != "s32" && type != "u64" && type != "b64") return "";
  std::string rest;
  for (const char c : text.substr(space)) {
    if (c != ' ' && c != ';') rest += c;
  }
  if (rest.rfind("%0,%%", 0) != 0) return "";
  std::string name = rest.substr(5);
  static const char* const known[] = {
      "laneid",      "warpid",      "nwarpid",     "smid",        "nsmid",       "gridid",
      "lanemask_eq", "lanemask_lt", "lanemask_le", "lanemask_gt", "lanemask_ge", "clock",
      "clock64",     "globaltimer", "tid.x",       "tid.y",       "tid.z",       "ntid.x",
      "ntid.y",      "ntid.z",      "ctaid.x",     "ctaid.y",     "ctaid.z",     "nctaid.x",
      "nctaid.y",    "nctaid.z"};
  for (const char* candidate : known) {
    if (name != candidate) continue;
    for (char& c : name) {
      if (c == '.') c = '_';
    }
    return name;
  }
  return "";
}

}  // namespace

void rewrite_asm(Source& s, Index at) {
  Index open = at + 1;
  while (s.is_name(open)) ++open;  // volatile, inline, goto
  const Index close = s.match(open);
  if (!s.is(open, '(') || close == none) return;
  std::string text;
  Index i = open + 1;
  for (; s[i].kind == Kind::string; ++i) text += unquote(s.text(i));
  text = squeeze(text);
  if (text.empty()) return;  // a barrier for the compiler only
  const std::string name = special_register(text);
  // : "=r"(destination)
  if (!name.empty() && s.is(i, ':') && s[i + 1].kind == Kind::string && s.is(i + 2, '(')) {
    const Index end = s.match(i + 2);
    if (end != none) {
      const std::string destination = s.flat_text({i + 3, end});
      s.replace(at, close, "(" + destination + ") = ::simt::special::" + name + "()");
      return;
    }
  }
  s.error(at, "inline PTX is not supported yet: " + text);
}

}  // namespace simt::cc
