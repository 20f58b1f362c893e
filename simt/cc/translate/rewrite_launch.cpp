#include "translate/rewrite.h"

namespace simt::cc {
namespace {

// The first token of the postfix expression that ends at `last`: `ns::k<T>`, `(*table[i])`,
// `object.member`, `pick<T>(x)`.
Index callee_start(const Source& s, Index last) {
  Index i = last;
  for (;;) {
    const Token& t = s[i];
    if (t.is('>')) {
      const Index open = s.open_angle(i);
      if (open == none || open == 0 || !s.is_name(open - 1)) return none;
      i = open - 1;
    } else if (t.is(')') || t.is(']')) {
      const Index open = s.match(i);
      if (open == none) return none;
      i = open;
      // A call or an index belongs to what stands before; a parenthesis alone does not.
      const Token& before = s[i - 1];
      const bool applied = i > 0 && (before.is('>') || before.is(']') ||
                                     (before.kind == Kind::name && !before.is(Word::return_)));
      if (applied || (t.is(']') && before.is(')'))) {
        --i;
        continue;
      }
      return i;
    } else if (!s.is_name(i)) {
      return none;
    }
    if (i > 0 && s.is(i - 1, Word::template_)) --i;
    if (i == 0) return i;
    const Token& before = s[i - 1];
    if (before.is(Word::scope_)) {
      // A leading `::` ends the name; otherwise a scope stands before it.
      const bool scoped =
          i >= 2 && ((s.is_name(i - 2) && !s.is(i - 2, Word::return_)) || s.is(i - 2, '>'));
      if (!scoped) return i - 1;
      i -= 2;
    } else if (before.is('.') || before.is(Word::arrow_)) {
      i -= 2;
    } else {
      return i;
    }
  }
}

// The first of the three '>' that close the launch configuration opened before `first`. Some
// formatters write `>> >`: then they need not be `joined`.
Index find_close(const Source& s, Index first, bool joined = true) {
  for (Index i = first; i < s.size(); ++i) {
    const Token& t = s[i];
    if (t.is('(') || t.is('[') || t.is('{')) {
      if (s.match(i) == none) return none;
      i = s.match(i);
    } else if (t.is(';') || t.is(')') || t.is('}')) {
      return none;
    } else if (t.is('>')) {
      Index run = 1;
      while (s.is(i + run, '>') && (!joined || s.adjacent(i + run - 1, i + run))) ++run;
      if (run >= 3 && s.is(i + run, '(')) return i + run - 3;
      i += run - 1;
    }
  }
  return none;
}

// Handing on the arguments is none of the program's own accesses: see simt/self.h.
constexpr const char* unwatched = "__attribute__((no_sanitize(\"thread\", \"undefined\"))) ";

std::string quote(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

// What the kernel's name stands for, if it is one function: see simt/launch.h. GCC 13 cannot have
// `kernel<p.value>` in a lambda's return type where p is a parameter of a lambda around it ("in
// tsubst_copy"), so the body asks, where the language has a way to.
std::string resolving(const std::string& kernel, bool in_body) {
  const std::string id = "simt_id(" + kernel + ")";
  if (!in_body) return "[&](auto simt_id) -> decltype(" + id + ") { return " + id + "; }";
  return "[&](auto simt_id) { if constexpr (requires { " + id +
         "; }) return ::simt::FunctionType<decltype(" + id +
         ")>{}; else return ::simt::NotOneFunction{}; }, [&](auto simt_id) { return " + id + "; }";
}

}  // namespace

std::uint64_t reference_parameters(const Source& s, Index open) {
  std::uint64_t mask = 0;
  if (!s.is(open, '(') || s.match(open) == none) return mask;
  unsigned parameter = 0;
  bool is_const = false;
  for (Index i = open + 1; i < s.match(open) && parameter < 64; i = s.after(i)) {
    if (s.is(i, '<') && s.close_angle(i) != none) i = s.close_angle(i);
    if (s.is(i, ',')) {
      ++parameter;
      is_const = false;
    }
    is_const = is_const || s.text(i) == "const";  // may be a temporary, so it is copied
    // `T& x`, not `T&& x`, nor what is inside of a pointer's or an array's parentheses.
    if (s.is(i, '&') && s.is_name(i + 1) && !is_const) mask |= std::uint64_t(1) << parameter;
  }
  return mask;
}

namespace {

// A template's parameters cannot be asked for their types, so the launch says which arguments are references.
void pass_references(Source& s, Index open, std::uint64_t mask) {
  const Index close = s.match(open);
  if (mask == 0 || close == none) return;
  unsigned argument = 0;
  for (Index begin = open + 1; begin < close && argument < 64; ++argument) {
    Index end = begin;
    for (; end < close && !s.is(end, ','); end = s.after(end)) {
      if (s.is(end, '<') && s.close_angle(end) != none && s.close_angle(end) < close)
        end = s.close_angle(end);
    }
    if ((mask >> argument & 1) != 0 && end > begin && s.text(end - 1) != "...") {
      s.insert_before(begin, "::simt::by_reference(");
      s.insert_after(end - 1, ")");
    }
    begin = end + 1;
  }
}

}  // namespace

void rewrite_launch(Source& s, Index i, bool checked, bool cpp20,
                    const ReferenceParameters& references) {
  if (i == 0 || s.is(i - 1, Word::operator_) || s.is(i - 1, '<') || s.is(i + 3, '<')) return;
  Index close = find_close(s, i + 3);
  if (close == none) close = find_close(s, i + 3, false);
  if (close == none) {
    s.error(i, "'<<<' is not closed by '>>>(': a launch reads kernel<<<grid, block>>>(arguments)");
    return;
  }
  const Index start = callee_start(s, i - 1);
  if (start == none) {
    s.error(i, "cannot find the kernel that '<<<' launches");
    return;
  }
  const std::string kernel = s.flat_text({start, i});
  const bool may_deduce = kernel.back() == '>';
  s.replace(start, i + 2,
            std::string("::simt::launch") + (may_deduce ? "<true>" : "") + "(::simt::config(");
  s.replace(close, close + 2,
            "), " + quote(kernel) + ", " + resolving(kernel, may_deduce && cpp20) +
                ", [&](auto&&... simt_a) " + (checked ? unwatched : "") + "{ " + kernel +
                "(simt_a...); })",
            start);
  Index name = i - 1;
  if (s.is(name, '>')) name = s.open_angle(name) - 1;
  const auto found = references.find(s.text(name));
  if (found != references.end()) pass_references(s, close + 3, found->second);
}

}  // namespace simt::cc
