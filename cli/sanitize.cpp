#include "cli/sanitize.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "cli/terminal.h"
#include "harness/sanitizer.h"

using nlohmann::json;
using nlohmann::ordered_json;

namespace warpath::cli {
namespace {

// Columns that are there even when they are clean. What else was found (an assert that failed) has its own.
constexpr std::string_view always[] = {"memory", "race", "init", "sync"};

struct Found {
  const json* finding;
  const harness::Record* first;  // the first case that shows it
  int cases = 0;
};

// The findings of one rung. A line that is wrong in ten cases counts once.
std::vector<Found> findings_of(const Summary& s) {
  std::map<std::tuple<std::string, std::string, int>, std::size_t> seen;
  std::vector<Found> found;
  for (const harness::Record* r : s.failures) {
    std::set<std::size_t> here;
    for (const json& f : r->findings) {
      const auto [at, is_new] = seen.try_emplace(
          {f.value("kind", ""), f.value("file", ""), f.value("line", 0)}, found.size());
      if (is_new) found.push_back({&f, r});
      if (here.insert(at->second).second) ++found[at->second].cases;
    }
  }
  return found;
}

std::vector<const json*> distinct_findings(const Summary& s) {
  std::vector<const json*> all;
  for (const Found& f : findings_of(s)) all.push_back(f.finding);
  return all;
}

// Each finding once and whole: cut in the middle it would lose what to do about it.
void print_findings(const Summary& s, bool verbose) {
  const std::vector<Found> all = findings_of(s);
  const std::size_t most = verbose ? all.size() : 10;
  for (std::size_t i = 0; i < std::min(most, all.size()); ++i) {
    const Found& f = all[i];
    fmt::print("    {} on {} {}{}:\n", paint(Tone::bad, s.name), f.first->test,
               name(f.first->dtype), f.cases > 1 ? fmt::format(" and {} more", f.cases - 1) : "");
    print_indented(f.finding->value("report", harness::describe_finding(*f.finding)), 1000);
  }
  if (all.size() > most)
    fmt::print("    {}\n", paint(Tone::dim, fmt::format("… and {} more findings (-v shows all)",
                                                        all.size() - most)));
}

}  // namespace

int leave_out_large(std::vector<OpEntry>& ops) {
  std::size_t left_out = 0;
  for (OpEntry& e : ops) {
    struct Size {
      std::int64_t bytes;
      double flops;
    };
    const auto size_of_attempt = [&](const harness::Attempt& a) -> Size {
      const harness::Plan plan = harness::make_plan(*e.op, e.op->cases[a.test], a.dtype);
      return {plan.input_bytes + plan.output_bytes,
              e.op->cost(harness::ArgsBlob(plan).get()).flops};
    };
    // The largest case that is still quick: a kernel may need much memory before it launches
    // several blocks for what one block does in the small cases.
    std::optional<std::size_t> largest;
    std::int64_t bytes = sanitize_limit;
    for (const harness::Attempt& a : e.attempts)
      if (const Size s = size_of_attempt(a);
          s.flops <= sanitize_flops && s.bytes > bytes && s.bytes <= sanitize_most) {
        largest = a.test;
        bytes = s.bytes;
      }
    left_out += std::erase_if(e.attempts, [&](const harness::Attempt& a) {
      const Size s = size_of_attempt(a);
      return a.test != largest && (s.bytes > sanitize_limit || s.flops > sanitize_flops);
    });
  }
  return static_cast<int>(left_out);
}

void print_sanitized(const OpOutcome& outcome, bool verbose) {
  const Contract& contract = outcome.entry->op->contract;
  fmt::print("\n{}  {}  {}\n", paint(Tone::strong, contract.name()), contract.summary(),
             paint(Tone::dim, fmt::format("({:.1f} s)", outcome.seconds)));
  const std::vector<Summary> summaries = summarise(outcome.records);
  std::vector<std::string> columns(std::begin(always), std::end(always));
  for (const Summary& s : summaries)
    for (const json* f : distinct_findings(s))
      if (const std::string check = harness::check_of(*f);
          std::find(columns.begin(), columns.end(), check) == columns.end())
        columns.push_back(check);
  std::vector<std::string> heads{"rung", "cases"};
  heads.insert(heads.end(), columns.begin(), columns.end());
  Table table(heads, "lr" + std::string(columns.size(), 'l'));
  for (const Summary& s : summaries) {
    std::map<std::string, int> count;
    for (const json* f : distinct_findings(s)) ++count[harness::check_of(*f)];
    std::vector<Cell> row{{s.name}, {fmt::format("{}/{}", s.passed, s.passed + s.failed)}};
    for (const std::string& check : columns) {
      if (s.passed + s.failed == 0)
        row.emplace_back("not run", Tone::dim);
      else if (const int n = count[check]; n > 0)
        row.emplace_back(fmt::format("{} finding{}", n, n == 1 ? "" : "s"), Tone::bad);
      else
        row.emplace_back("clean", Tone::good);
    }
    table.add(std::move(row));
  }
  table.print();
  for (const Summary& s : summaries) print_findings(s, verbose);
  // What else went wrong, and what was skipped.
  std::vector<Summary> rest = summaries;
  for (Summary& s : rest)
    std::erase_if(s.failures, [](const harness::Record* r) { return !r->findings.empty(); });
  print_reasons(rest, verbose);
}

ordered_json sanitized_json(const OpOutcome& outcome) {
  ordered_json j = outcome_json(outcome, {});
  const std::vector<Summary> summaries = summarise(outcome.records);
  for (std::size_t i = 0; i < summaries.size(); ++i) {
    ordered_json& rung = j["rungs"][i];
    rung["findings"] = ordered_json::array();
    for (const json* f : distinct_findings(summaries[i])) {
      ordered_json finding = *f;
      finding["check"] = harness::check_of(*f);
      rung["findings"].push_back(std::move(finding));
    }
  }
  j["seconds"] = outcome.seconds;
  return j;
}

int report_wrong_sanitized(const Options& o, const Backend& backend,
                           const std::vector<OpOutcome>& outcomes) {
  int found = 0, silent = 0, missed = 0;
  ordered_json j = backend_json(backend);
  j["wrong"] = ordered_json::array();
  for (const OpOutcome& outcome : outcomes) {
    if (!o.json) fmt::print("\n{}  wrong kernels\n", paint(Tone::strong, outcome.entry->name()));
    for (const Summary& s : summarise(outcome.records)) {
      const std::vector<const json*> findings = distinct_findings(s);
      const bool miss = findings.empty() && is_race(outcome, s.name);
      (!findings.empty() ? found : miss ? missed : silent) += 1;
      ordered_json entry = {
          {"op", outcome.entry->name()}, {"name", s.name},     {"race", is_race(outcome, s.name)},
          {"failed", s.failed},          {"passed", s.passed}, {"findings", ordered_json::array()}};
      for (const json* f : findings) entry["findings"].push_back(ordered_json(*f));
      j["wrong"].push_back(std::move(entry));
      if (o.json) continue;
      fmt::print("  {} {}\n", s.name,
                 !findings.empty() ? paint(Tone::good, "found")
                 : miss            ? paint(Tone::bad, "A RACE THAT WAS NOT FOUND")
                                   : paint(Tone::dim, "only its results are wrong"));
      for (const json* f : findings) fmt::print("      {}\n", harness::describe_finding(*f));
    }
  }
  j["found"] = found;
  j["silent"] = silent;
  j["missed_races"] = missed;
  if (o.json)
    print_json(j);
  else
    fmt::print("\n{}\n",
               paint(missed ? Tone::bad : Tone::good,
                     fmt::format("{} wrong kernels found, {} wrong only in their results, {} races "
                                 "missed",
                                 found, silent, missed)));
  return missed ? check_failed : all_passed;
}

}  // namespace warpath::cli
