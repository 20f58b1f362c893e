// Runs several ops one after the other, and summarises what each rung did over all its cases.
#pragma once
#include <string>
#include <vector>

#include "harness/runner.h"

namespace warpath::harness {

// An op with the rungs, cases and types to run it with.
struct OpEntry {
  std::string family, folder;
  const Op* op = nullptr;
  std::vector<Contestant> contestants;
  std::vector<Attempt> attempts;

  const std::string& name() const { return op->contract.name(); }
};

struct OpOutcome {
  const OpEntry* entry = nullptr;
  std::vector<Record> records;
  double seconds = 0;  // all of it together

  // Attempts that Settings::op_seconds had no time for: the last ones of the entry.
  std::size_t left_out() const {
    return entry->attempts.size() - records.size() / entry->contestants.size();
  }
};
std::vector<OpOutcome> run_all(const std::vector<OpEntry>& ops, const Settings& settings,
                               const Watch& watch = {});

// All records of one contestant in one op.
struct Summary {
  std::string name;
  bool peer = false;
  int passed = 0, failed = 0, skipped = 0;
  const Record* worst = nullptr;  // the passed record nearest to its bound
  std::vector<const Record*> failures, skips;
  std::vector<const Record*> printed;  // the passed ones that printed something
  bool ok() const { return failed == 0 && passed > 0; }
};
std::vector<Summary> summarise(const std::vector<Record>& records);

// A wrong kernel that fails only when threads run in an unlucky order.
bool is_race(const OpOutcome& outcome, const std::string& rung);
// A race that only --sanitize can show on a CPU.
bool needs_weak_memory(const OpOutcome& outcome, const std::string& rung);

}  // namespace warpath::harness
