// Calls of CUDA's APIs and libraries whose result is dropped: see simt/lost_error.h.

#include "spaces/known_names.h"
#include "translate/rewrite.h"

namespace simt::cc {
namespace {

bool ends_label(const Source& s, Index colon);

// Whether a statement may begin behind the token before `i`. A cast to void, which says that the
// error does not matter, is no beginning.
bool statement_begins(const Source& s, Index i) {
  if (i == 0) return false;
  const Token& before = s[i - 1];
  if (before.is(';') || before.is('{') || before.is('}') || before.kind == Kind::directive) {
    return true;
  }
  if (before.is(':')) return ends_label(s, i - 1);
  const std::string_view text = s.text(i - 1);
  if (text == "else" || text == "do") return true;
  if (!before.is(')') || s.match(i - 1) == none || s.match(i - 1) == 0) return false;
  const std::string_view head = s.text(s.match(i - 1) - 1);
  return head == "if" || head == "for" || head == "while";
}

// `case X:`, `default:` and `end:`, not the second half of `c ? a : b`.
bool ends_label(const Source& s, Index colon) {
  if (colon >= 2 && s.is_name(colon - 1) && statement_begins(s, colon - 1)) return true;
  for (Index i = colon; i-- > 0;) {
    const std::string_view text = s.text(i);
    if (text == "case" || text == "default") return true;
    if (text == "?" || s[i].is(';') || s[i].is('{') || s[i].is('}')) return false;
  }
  return false;
}

bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}

// The runtime, the driver and those libraries whose calls answer with a status.
bool is_of_cuda(std::string_view name) {
  if (!name.starts_with("cu")) return false;
  for (const std::string_view rest : {"da", "blas", "rand", "fft", ""}) {
    const std::string_view after = name.substr(2);
    if (after.size() > rest.size() && after.starts_with(rest) && is_upper(after[rest.size()]))
      return true;
  }
  return false;
}

// What a call to or from a device variable names as that variable; empty for another call.
std::string symbol_of(const Source& s, Index i, Index close) {
  const unsigned wanted = spaces::symbol_argument(s.text(i));
  Index begin = i + 2, end = begin;
  unsigned position = 0;
  for (; end < close; end = s.after(end)) {
    if (!s[end].is(',')) continue;
    if (position++ == wanted) break;
    begin = end + 1;
  }
  if (wanted == ~0u || position < wanted) return {};
  for (Index at = begin; at < end; ++at) {
    // Of what is no name the address says as much as the text.
    if (!s.is_name(at) && !s.is(at, Word::scope_)) return {};
  }
  return s.flat_text({begin, end});
}

}  // namespace

void rewrite_lost_call(Source& s, Index i) {
  const std::string_view name = s.text(i);
  if (!is_of_cuda(name)) return;
  if (name == "cudaGetLastError" || name == "cudaPeekAtLastError") return;  // that is looking
  const Index first = s.is(i - 1, Word::scope_) && !s.is_name(i - 2) ? i - 1 : i;
  const Index close = s.match(i + 1);
  if (close == none || !s.is(close + 1, ';') || !statement_begins(s, first)) return;
  const std::string symbol = symbol_of(s, i, close);
  s.insert_before(first, "::simt::Lost{\"" + std::string(name) +
                             "\", __builtin_FILE(), __builtin_LINE()" +
                             (symbol.empty() ? "" : ", \"" + symbol + "\"") + "}, ");
}

}  // namespace simt::cc
