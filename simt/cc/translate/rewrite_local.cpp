// For the counts of --xray: which local arrays, and which arrays among a kernel's parameters, are indexed by a value that
// may differ from thread to thread. A GPU's registers cannot be indexed, so such an array lives in local memory. Such a
// parameter is copied there too, except one with __grid_constant__, which is read from constant memory. A call tells where
// it is; which lanes really differ is counted.

#include <unordered_set>

#include "translate/rewrite.h"

namespace simt::cc {
namespace {

using Names = std::unordered_set<std::string_view>;

bool is_member(const Source& s, Index i) {
  return i > 0 && (s.is(i - 1, '.') || s.is(i - 1, Word::arrow_) || s.is(i - 1, Word::scope_));
}

// Whether the value of [begin, end) may differ from thread to thread: it reads memory, asks a function, or names
// something that may.
bool varies(const Source& s, Range r, const Names& varying) {
  for (Index i = r.begin; i < r.end; ++i) {
    if (s.is(i, '[')) return true;
    if (!s.is_name(i) || is_member(s, i)) continue;
    if (s.is(i + 1, '(') && s.is(i + 2, ')')) return true;
    const std::string_view name = s.text(i);
    if (name == "threadIdx" || name == "blockIdx" || varying.count(name) != 0) return true;
  }
  return false;
}

// The token behind the expression from `i` on.
Index past_expression(const Source& s, Index i, Index end) {
  while (i < end && !s.is(i, ';') && !s.is(i, ',') && !s.is(i, ')') && !s.is(i, '}'))
    i = s.after(i);
  return std::min(i, end);
}

Names varying_names(const Source& s, Range parameters, Range body) {
  Names varying;
  for (Index i = parameters.begin; i < parameters.end; ++i)
    if (s.is_name(i) && (s.is(i + 1, ',') || s.is(i + 1, ')'))) varying.insert(s.text(i));
  // Twice: a loop's later statements are before its earlier ones.
  for (int pass = 0; pass < 2; ++pass) {
    for (Index i = body.begin; i < body.end; ++i) {
      if (!s.is_name(i) || is_member(s, i)) continue;
      const std::string_view next = s.text(i + 1);
      const bool set = s.is(i + 1, '=') || (next.size() > 1 && next.back() == '=' && next != "==" &&
                                            next != "<=" && next != ">=" && next != "!=");
      if (set && varies(s, {i + 2, past_expression(s, i + 2, body.end)}, varying))
        varying.insert(s.text(i));
    }
  }
  return varying;
}

// A '{' that opens statements, not members or values.
bool opens_block(const Source& s, Index open, Index body) {
  if (open == body) return true;
  const Token& before = s[open - 1];
  return before.is(')') || before.is(';') || before.is('{') || before.is('}') ||
         before.is(Word::return_) || before.kind == Kind::directive;
}

// The first token of the declaration that has its first array at `i`; none if it is none of a local variable.
Index local_declaration(const Source& s, Index i) {
  const Token& type = s[i - 1];
  if (type.is(Word::return_) || (!s.is_name(i - 1) && !type.is('>'))) return none;
  Index first = i;  // of the tokens seen that are no line markers
  for (Index begin = i; begin > 0; --begin) {
    const Token& t = s[begin - 1];
    // A macro's expansion, such as __align__, has line markers around it.
    const bool pragma =
        t.kind == Kind::directive && s.text(begin - 1).find("pragma") != std::string_view::npos;
    if (t.is(';') || t.is('{') || t.is('}') || pragma) return first;
    if (t.kind == Kind::directive) continue;
    if (t.is(Word::shared_) || t.is(Word::static_) || t.is(Word::extern_) ||
        t.is(Word::constexpr_) || t.is(Word::struct_) || t.is(Word::return_) ||
        t.is(Word::operator_) || t.is('=') || t.is('(') || t.is('?'))
      return none;
    if (t.is(')')) {
      const Index open = s.match(begin - 1);
      if (open == none || open == 0 || !s.is(open - 1, Word::alignas_)) return none;
      begin = open;
    }
    first = begin - 1;
    const std::string_view word = s.text(begin - 1);
    if (word == "using" || word == "typedef" || word == "case" || word == "new" ||
        word == "delete" || word == "goto")
      return none;
  }
  return none;
}

// Whether [begin, end) indexes `name` by something that varies.
bool indexes(const Source& s, std::string_view name, Range r, const Names& varying) {
  for (Index i = r.begin; i < r.end; ++i) {
    if (!s.is_name(i) || s.text(i) != name || is_member(s, i)) continue;
    for (Index at = i + 1; s.is(at, '[') && s.match(at) != none; at = s.after(at))
      if (varies(s, {at + 1, s.match(at)}, varying)) return true;
  }
  return false;
}

std::string tell(const std::string& name, const std::string& what, bool constant) {
  return " ::simt_xray_array(\"" + name + "\", &" + what + ", sizeof(" + what + "), " +
         (constant ? "true" : "false") + ");";
}

void tell_locals(Source& s, Range body, const Names& varying) {
  std::vector<Index> blocks;
  for (Index i = body.begin; i < body.end; ++i) {
    if (s.is(i, '{') && s.match(i) != none) blocks.push_back(i);
    if (s.is(i, '}') && !blocks.empty()) blocks.pop_back();
    if (blocks.empty() || !s.is_name(i) || !s.is(i + 1, '[') || s.is(i + 2, '[')) continue;
    if (!opens_block(s, blocks.back(), body.begin)) continue;
    const Index begin = local_declaration(s, i);
    if (begin == none) continue;
    const Index end = declaration_end(s, i);
    if (end == none || end >= body.end) continue;
    std::string calls;
    for (const Index name : declared_names(s, begin, end)) {
      if (!s.is(name + 1, '[')) continue;
      if (indexes(s, s.text(name), {end, s.match(blocks.back())}, varying))
        calls += tell(std::string(s.text(name)), std::string(s.text(name)), false);
    }
    if (!calls.empty()) s.insert_after(end, std::move(calls));
    i = end;
  }
}

// The name of the parameter that `name` is; none if it is none.
Index find_parameter(const Source& s, Range parameters, std::string_view name) {
  for (Index p = parameters.begin; p < parameters.end; ++p)
    if (s.is_name(p) && s.text(p) == name && (s.is(p + 1, ',') || s.is(p + 1, ')'))) return p;
  return none;
}

// Takes the `const` of a parameter with __grid_constant__ away: compilers do not report reads of constant objects.
bool is_grid_constant(Source& s, Range parameters, Index name) {
  Index begin = name;
  while (begin > parameters.begin && !s.is(begin - 1, ',')) --begin;
  bool found = false;
  for (Index i = begin; i < name; ++i) found = found || s.text(i) == "__simt_grid_constant__";
  for (Index i = begin; i < name && found; ++i)
    if (s.is(i, Word::const_)) s.replace(i, i, "");
  return found;
}

// `p.table[i]`, where the table is an array and no pointer.
void tell_parameters(Source& s, Range parameters, Range body, const Names& varying) {
  std::unordered_set<std::string> told;
  std::string calls;
  for (Index i = body.begin; i < body.end; ++i) {
    if (!s.is_name(i) || is_member(s, i) || !s.is(i + 1, '.')) continue;
    const Index parameter = find_parameter(s, parameters, s.text(i));
    if (parameter == none) continue;
    Index end = i + 1;
    while (s.is(end, '.') && s.is_name(end + 1)) end += 2;
    if (!s.is(end, '[') || s.match(end) == none || !varies(s, {end + 1, s.match(end)}, varying))
      continue;
    const std::string what = s.flat_text({i, end});
    if (!told.insert(what).second) continue;
    calls += " if constexpr (::simt_is_array<decltype(" + what + ")>) {" +
             tell(what, what, is_grid_constant(s, parameters, parameter)) + " }";
  }
  if (!calls.empty()) s.insert_after(body.begin, std::move(calls));
}

// By the last line marker: `# 12 "file" 3`. That of a keyword says 3 too, since a macro of ours is behind it.
bool is_in_system_header(const Source& s, Index i) {
  for (; i > 0; --i) {
    const std::string_view line = s.text(i);
    if (s[i].kind != Kind::directive || line.find("pragma") != line.npos) continue;
    return line.find("\" ") != line.npos && line.find(" 3", line.rfind('"')) != line.npos;
  }
  return false;
}

}  // namespace

void tell_indexed(Source& s, Index name, Index open, bool kernel) {
  if (name == none || open == none || s.match(open) == none || !s.is(name + 1, '(') ||
      is_in_system_header(s, name))
    return;
  for (Index i = name; i > 0 && !s.is(i, ';') && !s.is(i, '{') && !s.is(i, '}'); --i)
    if (s.is(i, Word::constexpr_)) return;  // the compiler may run it
  const Range parameters{name + 2, s.after(name + 1)}, body{open, s.match(open)};
  if (parameters.end > open) return;
  const Names varying = varying_names(s, parameters, body);
  tell_locals(s, body, varying);
  if (kernel) tell_parameters(s, parameters, body, varying);
}

namespace {

// A name of one of CUDA's vector types that fit into one access: float4, not float3 or dim3.
bool is_vector_type(std::string_view name) {
  if (name.empty() || (name.back() != '2' && name.back() != '4')) return false;
  name.remove_suffix(1);
  for (const std::string_view element : {"char", "uchar", "short", "ushort", "int", "uint", "float",
                                         "long", "ulong", "longlong", "ulonglong", "double"})
    if (name == element) return true;
  return false;
}

// What follows the type's name at `i`, such as a::b<c>; none if there is no name.
Index past_type(const Source& s, Index i) {
  for (;; ++i) {
    if (!s.is_name(i)) return none;
    if (s.is(++i, '<')) {
      if (s.close_angle(i) == none) return none;
      i = s.close_angle(i) + 1;
    }
    if (!s.is(i, Word::scope_)) return i;
  }
}

}  // namespace

void keep_whole(Source& s, Index i) {
  const Index type = i + 1, open = past_type(s, type);
  if (open == none || !s.is(open, '{')) return;
  // `y[k] = Mine{...}` too: of a struct that is aligned for it.
  const bool element = i > 0 && s.is(i - 1, ']');
  if (!element && (open != type + 1 || !is_vector_type(s.text(type)))) return;
  const Index close = s.match(open);
  if (close == none || !s.is(close + 1, ';')) return;
  s.insert_before(type, "::simt_whole(");
  s.insert_after(close, ")");
}

}  // namespace simt::cc
