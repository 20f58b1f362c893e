// An asm statement in device code becomes the C++ for its PTX.

#include <algorithm>
#include <string>
#include <vector>

#include "ptx/ptx.h"
#include "translate/rewrite.h"

namespace simt::cc {
namespace {

std::string unquote(std::string_view literal) {
  const std::size_t first = literal.find('"');
  if (first == std::string_view::npos || literal.size() < first + 2) return "";
  std::string out;
  for (std::size_t i = first + 1; i + 1 < literal.size(); ++i) {
    if (literal[i] == '\\' && i + 2 < literal.size()) {
      ++i;
      out += literal[i] == 'n' ? '\n' : literal[i] == 't' ? ' ' : literal[i];
    } else {
      out += literal[i];
    }
  }
  return out;
}

// The operands behind the text of an asm, outputs and inputs in order.
std::vector<PtxBinding> bindings_of(const Source& s, Index i, Index close) {
  std::vector<PtxBinding> all;
  while (i < close) {
    if (s[i].kind == Kind::string && s.is(i + 1, '(') && s.match(i + 1) != none) {
      const Index end = s.match(i + 1);
      all.push_back({unquote(s.text(i)), s.flat_text({i + 2, end})});
      i = end;
    }
    ++i;
  }
  return all;
}

// The compiler complains about a call that is left when it has dropped what nobody uses.
std::string refused_if_used(std::string what, Index at) {
  std::replace(what.begin(), what.end(), '"', '\'');
  const std::string name = "simt_ptx_unknown_" + std::to_string(at);
  return "({ extern __attribute__((error(\"" + what + "\"))) void " + name + "(); " + name +
         "(); })";
}

}  // namespace

void rewrite_asm(Source& s, Index at, bool in_library) {
  Index open = at + 1;
  while (s.is_name(open)) ++open;  // volatile, inline, goto
  const Index close = s.match(open);
  if (!s.is(open, '(') || close == none) return;
  std::string text;
  Index i = open + 1;
  for (; s[i].kind == Kind::string || s[i].kind == Kind::directive; ++i) {
    if (s[i].kind == Kind::string) text += unquote(s.text(i));
  }
  const std::vector<PtxStatement> statements = parse_ptx(text);
  // A barrier for the compiler only. Its operands' constraints mean other registers on this CPU.
  if (statements.empty()) return s.replace(at, close, "__asm__ __volatile__(\"\" ::: \"memory\")");
  const std::vector<PtxBinding> bindings = bindings_of(s, i, close);
  PtxScope scope{bindings, {}, {}};
  for (const PtxStatement& statement : statements) {
    if (statement.kind == PtxStatement::Kind::label) scope.labels.insert(statement.opcode);
  }
  std::string code;
  for (const std::string& label : scope.labels) code += "__label__ " + ptx_label(label) + ";";
  for (const PtxStatement& statement : statements) {
    const std::string part = emit_ptx(statement, scope);
    if (part.empty()) {
      const std::string what = "inline PTX is not supported yet: " + statement.text;
      if (in_library) return s.replace(at, close, refused_if_used(what, at));
      return s.error(at, what);
    }
    const bool brace =
        statement.kind == PtxStatement::Kind::open || statement.kind == PtxStatement::Kind::close;
    code += (code.empty() ? "" : " ") + part + (brace || statements.size() == 1 ? "" : ";");
  }
  const bool plain = statements.size() == 1 && statements[0].guard.empty();
  s.replace(at, close, plain ? code : "({ " + code + " })");
}

}  // namespace simt::cc
