#pragma once

// Two accesses to a word that nothing orders, and whether they are a race.

#include "access.h"
#include "findings.h"

namespace simt::check {

struct Conflict {
  Note with{};
  bool found = false, writes = false;
};

struct Watch {
  std::uint64_t floor;  // stamps below are history
  int farthest;         // that two threads can be apart: 2 in one block, 3 in several
  bool crowded;
};

// Enters an access into the word's cell, and compares it with those before.
Conflict meet_cell(Cell& cell, const Note& me, bool write, const Watch& watch,
                   const BlockState& state);

void race_found(const Area& area, const Access& access, const Note& now, const Conflict& with);
// The running thread updates the word atomically: its own read before was a part of that.
void forgive_reads(Address address);
// At a barrier: reads that may have been the first step of an atomic update were not.
void settle_reads();

}  // namespace simt::check
