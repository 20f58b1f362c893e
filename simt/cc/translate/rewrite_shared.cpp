#include <algorithm>

#include "translate/rewrite.h"

namespace simt::cc {
namespace {

bool takes_parenthesis(const Source& s, Index i) {
  return s.is(i, Word::alignas_) || s.is(i, Word::attribute_) || s.is(i, Word::decltype_);
}

// The first token of the declaration that contains `i`.
Index declaration_start(const Source& s, Index i) {
  while (i > 0) {
    const Index before = i - 1;
    const Token& t = s[before];
    if (t.kind == Kind::directive || t.is(';') || t.is('{') || t.is(':')) break;
    if (t.is('}')) break;
    if (t.is(')')) {
      const Index open = s.match(before);
      if (open == none || open == 0 || !takes_parenthesis(s, open - 1)) break;
      i = open - 1;
    } else if (t.is(']')) {
      if (s.match(before) == none) break;
      i = s.match(before);
    } else if (t.is(Word::return_)) {
      break;  // `else __shared__ ...` and the like
    } else {
      i = before;
    }
  }
  return i;
}

// The token that names what a declarator in [begin, end) declares. Without recursion: brackets may
// be nested deeper than a stack.
Index declared_name(const Source& s, Index begin, Index end) {
  struct Outer {
    Index found, end, next;
  };
  std::vector<Outer> outer;  // of the parentheses that `i` is in
  Index found = none;
  for (Index i = begin;; ++i) {
    bool over = false;
    if (i >= end) {
      over = true;
    } else if (takes_parenthesis(s, i) && s.is(i + 1, '(')) {
      i = s.last_of(i + 1);
    } else if (s.is(i, '(')) {
      // `T (*p)[4]`: the name is inside.
      outer.push_back({found, end, s.last_of(i)});
      end = std::min(s.last_of(i), end);
      found = none;
    } else if (s.is(i, '[') && s.is(i + 1, '[')) {
      i = s.last_of(i);  // an attribute
    } else if (s.is(i, '[') || s.is(i, '=') || s.is(i, ':')) {
      over = true;
    } else if (s.is(i, '{')) {
      i = s.last_of(i);
    } else if (s.is(i, '<')) {
      const Index close = s.close_angle(i);
      over = close == none;
      if (over) {
        found = none;
      } else {
        i = close;
      }
    } else if (s.is_name(i)) {
      found = i;
    }
    if (!over) continue;
    if (found != none || outer.empty()) return found;
    found = outer.back().found;
    end = outer.back().end;
    i = outer.back().next;
    outer.pop_back();
  }
}

// Commas between declarators: not those of template lists, arguments or bodies.
std::vector<Index> declarator_commas(const Source& s, Index begin, Index end) {
  std::vector<Index> commas;
  for (Index i = begin; i < end; ++i) {
    if (s.is(i, ',')) {
      commas.push_back(i);
    } else if (s.is(i, '<')) {
      const Index close = s.close_angle(i);
      if (close != none && close < end) i = close;
    } else {
      i = s.last_of(i);
    }
  }
  return commas;
}

struct Declarator {
  Index name;
  bool unsized;  // ends in [] as dynamic shared memory does
};

}  // namespace

Index declaration_end(const Source& s, Index i) {
  for (; i < s.size(); i = s.after(i)) {
    if (s.is(i, ';')) return i;
    if (s.is(i, '}') || s.is(i, ')')) return none;
  }
  return none;
}

std::vector<Index> declared_names(const Source& s, Index begin, Index end) {
  std::vector<Index> names;
  std::vector<Index> stops = declarator_commas(s, begin, end);
  stops.push_back(end);
  Index from = begin;
  for (const Index stop : stops) {
    const Index name = declared_name(s, from, stop);
    if (name == none) return {};
    names.push_back(name);
    from = stop + 1;
  }
  return names;
}

Index rewrite_shared(Source& s, Index at, std::unordered_set<std::string_view>* file_scope,
                     bool checked, const std::string& facts,
                     std::vector<std::string_view>& declared) {
  const bool namespace_scope = file_scope != nullptr;
  const Index begin = declaration_start(s, at);
  const Index end = declaration_end(s, at);
  if (end == none) {
    s.error(at, "cannot understand this __shared__ declaration");
    return at;
  }
  std::vector<Declarator> declarators;
  std::vector<Index> stops = declarator_commas(s, begin, end);
  stops.push_back(end);
  Index from = begin;
  for (const Index stop : stops) {
    const Index name = declared_name(s, from, stop);
    if (name == none || name == at) {
      s.error(at, "cannot find the name in this __shared__ declaration");
      return end;
    }
    declarators.push_back({name, s.is(name + 1, '[') && s.is(name + 2, ']')});
    declared.push_back(s.text(name));
    from = stop + 1;
  }

  if (namespace_scope && !file_scope->insert(declared.front()).second) {
    s.replace(begin, end, "");
    return end;
  }

  bool is_extern = false;
  std::string alignments;  // empty types that carry each alignas: a typedef cannot
  const std::string key(s.text(declarators.front().name));
  for (Index i = begin; i < end; ++i) {
    if (s.is(i, '{') || s.is(i, '[') || s.is(i, '(')) {
      i = s.last_of(i);
    } else if (s.is(i, Word::extern_)) {
      is_extern = true;
      s.replace(i, i, "");
    } else if (s.is(i, Word::static_) || s.is(i, Word::shared_)) {
      s.replace(i, i, "");
    } else if (s.is(i, Word::alignas_) && s.is(i + 1, '(')) {
      const Index close = s.last_of(i + 1);
      if (close >= end) break;  // the brackets do not fit
      alignments += s.flat_text({i, close + 1}) + " ";
      s.replace(i, close, "");
      i = close;
    }
  }

  if (namespace_scope && !is_extern && !checked) {
    // An OS thread runs one block at a time, so a thread-local variable is the block's own.
    s.insert_before(begin, "static __thread ");
    if (!alignments.empty()) s.insert_before(begin, alignments);
    return end;
  }

  s.insert_before(begin, "typedef ");
  for (const Declarator& d : declarators) {
    s.replace(d.name, d.name, "simt_type_" + std::string(s.text(d.name)));
  }
  std::string tail;
  std::string alignment_type;
  if (!alignments.empty()) {
    alignment_type = "simt_align_" + key;
    tail += " struct " + alignments + alignment_type + " {};";
  }
  for (const Declarator& d : declarators) {
    const std::string name(s.text(d.name));
    const std::string type = "simt_type_" + name;
    if (is_extern || d.unsized) {
      tail += namespace_scope ? " static thread_local " + type + "& " + name + " = *static_cast<" +
                                    type + "*>(::simt::thread_dynamic_shared());"
                              : " [[maybe_unused]] auto& " + name + " = *static_cast<" + type +
                                    "*>(::simt::dynamic_shared());";
      continue;
    }
    const std::string variable = "simt_var_" + name;
    const std::string alignment =
        alignment_type.empty()
            ? "alignof(" + type + ")"
            : "::simt::larger(alignof(" + type + "), alignof(" + alignment_type + "))";
    tail += " static ::simt::SharedVar " + variable + "{\"" + name + "\", sizeof(" + type + "), " +
            alignment + ", ::simt::shape_of<" + type + ">()};";
    if (!facts.empty()) {
      tail += " (void)&::simt::SharedFact<" + facts + ", sizeof(" + type + "), " + alignment +
              ", " + std::to_string(d.name) + ">::noted;";
    }
    tail += namespace_scope ? " [[maybe_unused]] static thread_local " + type + "& " + name +
                                  " = *static_cast<" + type + "*>(::simt::thread_file_shared(" +
                                  variable + "));"
                            : " [[maybe_unused]] auto& " + name + " = *static_cast<" + type +
                                  "*>(" + variable + ".address());";
  }
  s.insert_after(end, std::move(tail));
  return end;
}

void rewrite_captures(Source& s, Index open, const std::vector<SharedName>& names) {
  const Index close = s.match(open);
  if (close == none || s.is(open + 1, '[')) return;
  if (open > 0) {
    const Token& before = s[open - 1];
    const bool subscript = before.is(')') || before.is(']') || before.is('[') ||
                           (before.kind == Kind::name && !before.is(Word::return_)) ||
                           before.kind == Kind::string;
    if (subscript) return;
  }
  // `[&` alone or before a comma captures everything by reference already.
  if (s.is(open + 1, '&') && (open + 2 == close || s.is(open + 2, ','))) return;
  Index body = close + 1;
  while (body < s.size() && !s.is(body, '{')) {
    if (s.is(body, ';') || s.is(body, ')') || s.is(body, '}')) return;
    body = s.after(body);
  }
  const Index body_end = s.match(body);
  if (body_end == none) return;
  std::string captures;
  for (const SharedName& shared : names) {
    if (open < shared.declared || open > shared.scope_end) continue;
    bool used = false, listed = false;
    for (Index i = open + 1; i < close && !listed; ++i) listed = s.text(i) == shared.name;
    for (Index i = body + 1; i < body_end && !used; ++i) {
      used = s.is_name(i) && s.text(i) == shared.name && !s.is(i - 1, '.') &&
             !s.is(i - 1, Word::arrow_) && !s.is(i - 1, Word::scope_);
    }
    if (!used || listed) continue;
    captures += captures.empty() && close == open + 1 ? "&" : ", &";
    captures += shared.name;
  }
  if (!captures.empty()) s.insert_before(close, captures);
}

}  // namespace simt::cc
