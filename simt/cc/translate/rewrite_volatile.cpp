// Code from before Volta relies on the lanes of a warp executing each statement together, and says
// `volatile` for it: `s[t] += s[t + 32];` without `__syncwarp`. Here lanes run one after the other,
// so such a store waits: all lanes that are here read, then all of them write. `volatile` also
// marks what another thread will change: a loop that polls it must let that thread run.

#include "translate/rewrite.h"

namespace simt::cc {
namespace {

bool begins_statement(const Source& s, Index i) {
  if (i == 0) return false;
  const Token& before = s[i - 1];
  return before.is(';') || before.is('{') || before.is('}') || before.is(')') ||
         before.is(Word::return_) || before.kind == Kind::directive;
}

bool mentions(const Source& s, Range r, const VolatileNames& names) {
  for (Index i = r.begin; i < r.end; ++i) {
    if (s.is(i, Word::volatile_) || (s.is_name(i) && names.count(s.text(i)) != 0)) return true;
  }
  return false;
}

bool has_step(const Source& s, Range r) {
  for (Index i = r.begin; i < r.end; ++i) {
    if (s.text(i) == "++" || s.text(i) == "--") return true;
  }
  return false;
}

// The ';' or ',' that ends the expression from `i` on; none if something else does.
Index expression_end(const Source& s, Index i) {
  for (; i < s.size(); i = s.after(i)) {
    if (s.is(i, ';') || s.is(i, ',')) return i;
    if (s.is(i, ')') || s.is(i, '}') || s.is(i, ']')) return none;
  }
  return none;
}

}  // namespace

std::string_view volatile_name(const Source& s, Index at) {
  std::string_view name;
  for (Index i = at + 1; i < s.size(); ++i) {
    if (s.is_name(i)) {
      name = s.text(i);
    } else if (s.is(i, '<')) {
      i = s.close_angle(i);
      if (i == none) return {};
    } else if (!s.is(i, '*') && !s.is(i, '&')) {
      return s.is(i, ')') && s.is(i - 1, '*') ? std::string_view() : name;  // a cast has no name
    }
  }
  return {};
}

void rewrite_volatile_store(Source& s, Index at, const VolatileNames& names) {
  if (!begins_statement(s, at) || !s.is(at + 1, '[')) return;
  Index op = at + 1;
  while (s.is(op, '[')) {
    if (s.match(op) == none) return;
    op = s.match(op) + 1;
  }
  const std::string_view sign = s.text(op);
  const bool plain = sign == "=";
  const bool compound = sign.size() == 2 && sign[1] == '=' &&
                        std::string_view("+-*/%&|^").find(sign[0]) != std::string_view::npos;
  const Index end = expression_end(s, op + 1);
  if ((!plain && !compound) || end == none || end == op + 1) return;
  if (plain && !mentions(s, {op + 1, end}, names)) return;
  if (compound && has_step(s, {at, op})) return;  // its index would be computed twice
  s.insert_before(at, "::simt::step(), ");
  const std::string target = s.flat_text({at, op});
  s.replace(op, op,
            plain ? "= ::simt::in_step("
                  : "= ::simt::in_step(" + target + " " + std::string(1, sign[0]) + " (");
  s.insert_before(end, plain ? ")" : "))");
}

bool rewrite_spin(Source& s, Index at, const VolatileNames& names) {
  const Index close = s.match(at + 1);
  if (!s.is(at + 1, '(') || close == none || close == at + 2) return false;
  const Range condition{at + 2, close};
  if (!mentions(s, condition, names)) return false;
  for (Index i = condition.begin; i < condition.end; i = s.after(i)) {
    if (s.is(i, '=')) return false;  // perhaps a declaration
  }
  s.insert_after(at + 1, "::simt::spin_hint(), ");
  return true;
}

}  // namespace simt::cc
