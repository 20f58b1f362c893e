// Calls of the CUDA API whose result is dropped: see simt/lost_error.h.

#include "translate/rewrite.h"

namespace simt::cc {
namespace {

// Whether a statement may begin behind the token before `i`. A cast to void, which says that the
// error does not matter, is no beginning.
bool statement_begins(const Source& s, Index i) {
  if (i == 0) return false;
  const Token& before = s[i - 1];
  if (before.is(';') || before.is('{') || before.is('}') || before.kind == Kind::directive) {
    return true;
  }
  const std::string_view text = s.text(i - 1);
  if (text == "else" || text == "do") return true;
  if (!before.is(')') || s.match(i - 1) == none || s.match(i - 1) == 0) return false;
  const std::string_view head = s.text(s.match(i - 1) - 1);
  return head == "if" || head == "for" || head == "while";
}

bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}

}  // namespace

void rewrite_lost_call(Source& s, Index i) {
  const std::string_view name = s.text(i);
  if (name.size() < 5 || name.substr(0, 4) != "cuda" || !is_upper(name[4])) return;
  if (name == "cudaGetLastError" || name == "cudaPeekAtLastError") return;  // that is looking
  const Index first = s.is(i - 1, Word::scope_) && !s.is_name(i - 2) ? i - 1 : i;
  const Index close = s.match(i + 1);
  if (close == none || !s.is(close + 1, ';') || !statement_begins(s, first)) return;
  s.insert_after(
      close, ", ::simt::Lost{\"" + std::string(name) + "\", __builtin_FILE(), __builtin_LINE()}");
}

}  // namespace simt::cc
