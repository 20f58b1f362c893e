// cudaMalloc((void**)&p, bytes) hides from the checks what p points to: see simt::PointerToAllocate.

#include "translate/rewrite.h"

namespace simt::cc {
namespace {

bool allocates(std::string_view name) {
  for (const std::string_view known :
       {"cudaMalloc", "cudaMallocManaged", "cudaMallocAsync", "cudaMallocFromPoolAsync",
        "cudaMallocHost", "cudaHostAlloc"})
    if (name == known) return true;
  return false;
}

bool is_pointer_to_void_pointer(const Source& s, Index i) {
  return s.text(i) == "void" && s.is(i + 1, '*') && s.is(i + 2, '*');
}

}  // namespace

void rewrite_allocation(Source& s, Index i) {
  if (!allocates(s.text(i)) || !s.is(i + 1, '(')) return;
  const Index cast = i + 2;
  Index last = none;
  if (s.is(cast, '(') && is_pointer_to_void_pointer(s, cast + 1) && s.is(cast + 4, ')'))
    last = cast + 4;
  if (s.text(cast) == "reinterpret_cast" && s.is(cast + 1, '<') &&
      is_pointer_to_void_pointer(s, cast + 2) && s.is(cast + 5, '>'))
    last = cast + 5;
  if (last != none) s.replace(cast, last, "::simt::PointerToAllocate{}->*");
}

}  // namespace simt::cc
