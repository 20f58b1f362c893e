#include "cli/missing.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>

#include "cli/call.h"
#include "harness/runner_parts.h"

namespace warpath::cli {

using harness::Contestant;
using harness::Measured;
using harness::OpResults;

namespace {

// Seconds per unit of work, by the rung's time in the largest case of that type.
std::optional<double> pace_of(const OpResults& results, const std::string& name,
                              const std::string& dtype) {
  const Measured* known = nullptr;
  for (const Measured& m : results.records)
    if (m.name == name && m.at.dtype == dtype && m.median_us && m.work > 0 &&
        (!known || m.work > known->work))
      known = &m;
  // The overhead dominates a shorter launch.
  if (!known || *known->median_us < 1e3) return {};
  return *known->median_us * 1e-6 / known->work;
}

bool was_timed(const OpResults* results, const std::string& name) {
  return results && std::any_of(results->records.begin(), results->records.end(),
                                [&](const Measured& m) { return m.name == name && m.median_us; });
}

std::optional<Lack> lack_of(const Contestant& c, const OpResults* results,
                            const harness::MeasuredCase& at, SourceDigests& sources) {
  const Measured* m = results ? results->find(c.name, at) : nullptr;
  const bool answered = m && (m->median_us || m->skipped || (c.rung->peer && m->failed));
  if (!answered) {
    if (c.rung->peer) return Lack::no_peer;
    if (!was_timed(results, c.name)) return Lack::never_timed;
    return results->best_rung(at) ? Lack::not_here : Lack::no_rung;
  }
  if (c.rung->peer || m->skipped) return {};
  const std::string now = sources.of(c.rung->file);
  if (now.empty() || now == m->source) return {};
  return m->source.empty() ? Lack::unknown_code : Lack::changed;
}

}  // namespace

std::string words(Lack lack) {
  switch (lack) {
    case Lack::never_timed:
      return "a rung that was never timed";
    case Lack::no_rung:
      return "no rung has a time here";
    case Lack::no_peer:
      return "no time of a peer";
    case Lack::changed:
      return "a rung has other code now";
    case Lack::not_here:
      return "a rung has no time here";
    case Lack::unknown_code:
      return "nothing tells which code was timed";
  }
  return {};
}

std::string where(const MissingCase& m) {
  const harness::Attempt& a = m.entry.attempts.front();
  return fmt::format("{} {} {}", m.entry.name(), m.entry.op->cases[a.test].name, name(a.dtype));
}

std::vector<MissingCase> missing_cases(const OpEntry& entry, const harness::ResultFile* file,
                                       int arch, double patience, SourceDigests& sources,
                                       TakenCalls& taken) {
  const OpResults* results = file ? file->find(entry.name()) : nullptr;
  std::vector<MissingCase> found;
  const std::vector<std::vector<bool>>& takes = taken.of(entry);
  for (std::size_t i = 0; i < entry.attempts.size(); ++i) {
    const harness::Attempt& a = entry.attempts[i];
    const Case& test = entry.op->cases[a.test];
    const harness::MeasuredCase at{test.name, std::string(name(a.dtype))};
    const harness::Plan plan = harness::make_plan(*entry.op, test, a.dtype);
    const harness::ArgsBlob args = args_without_data(plan);
    const double work = harness::work_of(entry.op->cost(args.get()));
    std::optional<Lack> worst;
    std::vector<std::string> names;
    for (std::size_t who = 0; who < entry.contestants.size(); ++who) {
      const Contestant& c = entry.contestants[who];
      if (c.rung->min_arch > arch || !takes[i][who]) continue;
      const std::optional<Lack> lack = lack_of(c, results, at, sources);
      if (!lack) continue;
      const auto pace = results ? pace_of(*results, c.name, at.dtype) : std::nullopt;
      if (pace && *pace * work > patience) continue;
      names.push_back(c.name);
      if (!worst || *lack < *worst) worst = lack;
    }
    if (!worst) continue;
    MissingCase m{entry, *worst, names, work};
    m.entry.attempts = {a};
    for (const Measured* best :
         {results ? results->best_rung(at) : nullptr, results ? results->best_peer(at) : nullptr})
      if (best) add_unique(names, best->name);
    std::erase_if(m.entry.contestants, [&](const Contestant& c) {
      return std::find(names.begin(), names.end(), c.name) == names.end();
    });
    found.push_back(std::move(m));
  }
  return found;
}

const MissingCase* most_urgent(const std::vector<MissingCase>& cases) {
  const auto urgency = [](const MissingCase& m) { return std::tuple(m.lack, m.work); };
  const auto first = std::min_element(
      cases.begin(), cases.end(),
      [&](const MissingCase& a, const MissingCase& b) { return urgency(a) < urgency(b); });
  return first == cases.end() ? nullptr : &*first;
}

}  // namespace warpath::cli
