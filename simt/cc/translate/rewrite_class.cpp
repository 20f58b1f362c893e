#include "translate/rewrite.h"

namespace simt::cc {

void drop_global_scope(Source& s, Index i) {
  // A macro of a system header may stand for a part of the name, with line markers around it.
  const auto past_markers = [&s](Index at) {
    while (at < s.size() && s[at].kind == Kind::directive) ++at;
    return at;
  };
  const Index first = past_markers(i + 1);
  if (!s.is(first, Word::scope_)) return;
  Index end = past_markers(first + 1);  // only a definition goes on with its bases or its body
  while (s.is_name(end) || s.is(end, Word::scope_) || s.is(end, '<')) {
    const Index last = s.is(end, '<') ? s.close_angle(end) : end;
    if (last == none) return;
    end = past_markers(last + 1);
  }
  if (s.is(end, '{') || s.is(end, ':')) s.replace(first, first, " ");
}

}  // namespace simt::cc
