#include "cli/sanitize.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "cli/terminal.h"
#include "harness/sanitizer.h"

using nlohmann::json;
using nlohmann::ordered_json;

namespace warpath::cli {
namespace {

constexpr const char* checks[] = {"memory", "race", "init", "sync"};

// The check that makes findings of this kind. Any kind that is not listed is a memory finding.
std::string check_of(const std::string& kind) {
  if (kind == "race") return "race";
  if (kind == "uninitialised") return "init";
  const bool sync = kind == "sync" || kind == "different barriers" ||
                    kind == "incomplete barrier" || kind == "wrong mask";
  return sync ? "sync" : "memory";
}

// The findings of one rung. A line that is wrong in ten cases counts once.
std::vector<const json*> distinct_findings(const Summary& s) {
  std::set<std::tuple<std::string, std::string, int>> seen;
  std::vector<const json*> found;
  for (const harness::Record* r : s.failures)
    for (const json& f : r->findings)
      if (seen.insert({f.value("kind", ""), f.value("file", ""), f.value("line", 0)}).second)
        found.push_back(&f);
  return found;
}

}  // namespace

int leave_out_large(std::vector<OpEntry>& ops) {
  std::size_t left_out = 0;
  for (OpEntry& e : ops)
    left_out += std::erase_if(e.attempts, [&](const harness::Attempt& a) {
      const harness::Plan plan = harness::make_plan(*e.op, e.op->cases[a.test], a.dtype);
      return plan.input_bytes + plan.output_bytes > sanitize_limit ||
             e.op->cost(harness::ArgsBlob(plan).get()).flops > sanitize_flops;
    });
  std::erase_if(ops, [](const OpEntry& e) { return e.attempts.empty(); });
  return static_cast<int>(left_out);
}

void print_sanitized(const OpOutcome& outcome, bool verbose) {
  const Contract& contract = outcome.entry->op->contract;
  fmt::print("\n{}  {}  {}\n", paint(Tone::strong, contract.name()), contract.summary(),
             paint(Tone::dim, fmt::format("({:.1f} s)", outcome.seconds)));
  const std::vector<Summary> summaries = summarise(outcome.records);
  Table table({"rung", "cases", "memory", "race", "init", "sync"}, "lrllll");
  for (const Summary& s : summaries) {
    std::map<std::string, int> count;
    for (const json* f : distinct_findings(s)) ++count[check_of(f->value("kind", ""))];
    std::vector<Cell> row{{s.name}, {fmt::format("{}/{}", s.passed, s.passed + s.failed)}};
    for (const char* check : checks) {
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
  print_reasons(summaries, verbose);
}

ordered_json sanitized_json(const OpOutcome& outcome) {
  ordered_json j = outcome_json(outcome, {});
  const std::vector<Summary> summaries = summarise(outcome.records);
  for (std::size_t i = 0; i < summaries.size(); ++i) {
    ordered_json& rung = j["rungs"][i];
    rung["findings"] = ordered_json::array();
    for (const json* f : distinct_findings(summaries[i])) {
      ordered_json finding = *f;
      finding["check"] = check_of(f->value("kind", ""));
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
