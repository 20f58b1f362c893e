#include "translate/rewrite.h"

namespace simt::cc {

void drop_global_scope(Source& s, Index i) {
  if (!s.is(i + 1, Word::scope_)) return;
  Index end = i + 2;  // of the class's name: only a definition goes on with its bases or its body
  while (s.is_name(end) || s.is(end, Word::scope_) || s.is(end, '<')) {
    if (!s.is(end, '<')) {
      ++end;
      continue;
    }
    end = s.close_angle(end);
    if (end == none) return;
    ++end;
  }
  if (s.is(end, '{') || (s.is(end, ':') && !s.is(end + 1, ':'))) s.replace(i + 1, i + 1, " ");
}

}  // namespace simt::cc
