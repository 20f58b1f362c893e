#include "harness/outcome.h"

#include <algorithm>
#include <chrono>

namespace warpath::harness {

std::vector<Summary> summarise(const std::vector<Record>& records) {
  std::vector<Summary> all;
  for (const Record& r : records) {
    auto it =
        std::find_if(all.begin(), all.end(), [&](const Summary& s) { return s.name == r.name; });
    if (it == all.end()) {
      all.push_back({});
      it = all.end() - 1;
      it->name = r.name;
      it->peer = r.peer;
    }
    if (r.status == Status::passed) {
      ++it->passed;
      if (!r.output.empty()) it->printed.push_back(&r);
      if (!it->worst || r.ratio > it->worst->ratio) it->worst = &r;
    } else if (r.status == Status::failed) {
      ++it->failed;
      it->failures.push_back(&r);
    } else {
      ++it->skipped;
      it->skips.push_back(&r);
    }
  }
  return all;
}

namespace {
const Rung* rung_of(const OpOutcome& outcome, const std::string& name) {
  for (const Contestant& c : outcome.entry->contestants)
    if (c.name == name) return c.rung;
  return nullptr;
}
}  // namespace

bool is_race(const OpOutcome& outcome, const std::string& rung) {
  const Rung* r = rung_of(outcome, rung);
  return r && r->race;
}
bool needs_weak_memory(const OpOutcome& outcome, const std::string& rung) {
  const Rung* r = rung_of(outcome, rung);
  return r && r->weak_memory;
}

std::vector<OpOutcome> run_all(const std::vector<OpEntry>& ops, const Settings& settings,
                               const Watch& watch) {
  std::vector<OpOutcome> outcomes;
  for (const OpEntry& e : ops) {
    const auto begin = std::chrono::steady_clock::now();
    OpOutcome outcome{&e, run_op(settings, *e.op, e.contestants, e.attempts, watch)};
    outcome.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    outcomes.push_back(std::move(outcome));
  }
  return outcomes;
}

}  // namespace warpath::harness
