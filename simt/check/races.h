#pragma once

// Two accesses to a word that nothing orders, and whether they are a race.

#include "access.h"
#include "findings.h"

namespace simt::check {

struct Conflict {
  Note with{};
  bool found = false, writes = false;
};

void race_found(const Area& area, const Access& access, const Note& now, const Conflict& with);
// The running thread updates the word atomically: its own read before was a part of that.
void forgive_reads(const Access& update);
// At a barrier: reads that may have been the first step of an atomic update were not, unless other
// threads went on from the same line to an atomicCAS: such a loop may end before its first one.
void settle_reads();

}  // namespace simt::check
