#include "cli/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <sstream>
#include <string_view>

#include "cli/terminal.h"

namespace warpath::cli {

using harness::Rated;
using harness::Record;
using harness::Status;
using nlohmann::ordered_json;

namespace {

std::string where(const Record& r) {
  return fmt::format("{} {}", r.test, name(r.dtype));
}

std::string error_text(double x) {
  return x == 0 ? "0" : fmt::format("{:.2e}", x);
}
std::string allowed_text(double x) {
  return std::isnan(x) ? "" : x == 0 ? "exact" : error_text(x);
}

}  // namespace

void print_indented(const std::string& text, std::size_t lines, const std::string& rest) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i < lines && begin < text.size(); ++i) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    fmt::print("        {}\n", paint(Tone::dim, text.substr(begin, end - begin)));
    begin = end + 1;
  }
  if (begin >= text.size()) return;
  const auto more =
      std::count(text.begin() + static_cast<std::ptrdiff_t>(begin), text.end() - 1, '\n') + 1;
  fmt::print("        {}\n", paint(Tone::dim, fmt::format("… and {} more line{} ({} shows more)",
                                                          more, more == 1 ? "" : "s", rest)));
}

namespace {

// What was printed, except a refused launch's line whose text the reason has already.
std::string beside_reason(const Record& r) {
  constexpr std::string_view refused = " cannot run: ";
  std::string kept;
  std::istringstream lines(r.output);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find(refused);
    if (line.starts_with("simt: ") && at != line.npos &&
        r.reason.find(line.substr(at + refused.size())) != r.reason.npos)
      continue;
    kept += line + "\n";
  }
  return kept;
}

void print_failures(const Summary& s, bool verbose) {
  struct Group {
    const Record* first;
    std::string printed;
    std::size_t more = 0;  // cases with the same reason
  };
  std::vector<Group> groups;
  for (const Record* r : s.failures) {
    const std::string printed = beside_reason(*r);
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const Group& g) {
      return !verbose && g.first->reason == r->reason && g.printed == printed;
    });
    if (same == groups.end())
      groups.push_back({r, printed});
    else
      ++same->more;
  }
  const std::size_t most = verbose ? groups.size() : 3;
  std::size_t shown = 0;
  for (std::size_t i = 0; i < std::min(most, groups.size()); ++i) {
    const Group& g = groups[i];
    fmt::print("    {} on {}{}: {}\n", paint(Tone::bad, s.name), where(*g.first),
               g.more > 0 ? fmt::format(" and {} more", g.more) : "", g.first->reason);
    print_indented(g.printed, verbose ? 40 : 8);
    shown += 1 + g.more;
  }
  if (s.failures.size() > shown)
    fmt::print("    {}\n", paint(Tone::dim, fmt::format("… and {} more of {} (-v shows all)",
                                                        s.failures.size() - shown, s.name)));
}

// What a rung that passed has printed: mostly a learner's own printf.
void print_printed(const Summary& s, bool verbose) {
  const std::size_t most = verbose ? s.printed.size() : 1;
  for (std::size_t i = 0; i < std::min(most, s.printed.size()); ++i) {
    fmt::print("    {} printed on {}:\n", s.name, where(*s.printed[i]));
    print_indented(s.printed[i]->output, verbose ? 1000 : 8);
  }
  if (s.printed.size() > most)
    fmt::print("    {}\n", paint(Tone::dim, fmt::format("… and on {} more cases (-v shows them)",
                                                        s.printed.size() - most)));
}

// A rung's skips have few distinct reasons, each for many cases.
void print_skips(const Summary& s) {
  std::map<std::string, int> reasons;
  for (const Record* r : s.skips) ++reasons[r->reason];
  for (const auto& [reason, count] : reasons)
    fmt::print("    {}\n", paint(Tone::dim, fmt::format("{} skipped {} case{}: {}", s.name, count,
                                                        count == 1 ? "" : "s", reason)));
}

// Where a sample of the elements was judged: how many.
std::string judged_text(const std::vector<Rated>& rated, const std::string& key) {
  for (const Rated& r : rated)
    if (where(r.record) == key && r.record.judged < 1)
      return fmt::format("; {:.2g}% of the elements judged", 100 * r.record.judged);
  return "";
}

std::string verdict_text(const Summary& s) {
  std::string text = s.failed   ? fmt::format("{} failed", s.failed)
                     : s.passed ? "passed"
                                : "not run";
  if (s.skipped) text += fmt::format(", {} skipped", s.skipped);
  return text;
}

}  // namespace

std::string time_text(double us) {
  if (us < 1000) return fmt::format("{:.1f} us", us);
  return us < 1e6 ? fmt::format("{:.2f} ms", us / 1e3) : fmt::format("{:.2f} s", us / 1e6);
}

std::vector<OpOutcome> run_with_progress(const std::vector<OpEntry>& ops,
                                         const harness::Settings& settings) {
  Progress progress;
  harness::Watch watch;
  watch.progress = [&](const std::string& what, std::size_t done, std::size_t total) {
    progress.show(fmt::format("{}/{}  {}", done, total, what));
  };
  return harness::run_all(ops, settings, watch);
}

harness::Roofline measure_roofline(const harness::Settings& settings) {
  Progress progress;
  progress.show("measuring the copy and matmul rates");
  return harness::measure_roofline(settings.device_library);
}

void print_backend(const Backend& backend, const harness::Settings& settings) {
  const auto& info = backend.probe.info;
  fmt::print("{}\n", paint(Tone::dim, fmt::format("on {}, sm_{}, seed {}", info.name, info.arch,
                                                  settings.seed)));
}

void print_checks(const OpOutcome& outcome, bool verbose) {
  const Contract& contract = outcome.entry->op->contract;
  fmt::print("\n{}  {}\n", paint(Tone::strong, contract.name()), contract.summary());
  const std::vector<Summary> summaries = summarise(outcome.records);
  Table table({"rung", "cases", "worst error", "allowed", "there", "verdict"}, "lrrrll");
  for (const Summary& s : summaries) {
    const int tried = s.passed + s.failed;
    const Record* w = s.worst;
    table.add({{s.name + (s.peer ? " (peer)" : "")},
               {fmt::format("{}/{}", s.passed, tried)},
               {w ? error_text(w->error) : ""},
               {w ? allowed_text(w->allowed) : ""},
               {w && w->error > 0 ? where(*w) : "", Tone::dim},
               {verdict_text(s), s.failed   ? Tone::bad
                                 : s.passed ? Tone::good
                                            : Tone::dim}});
  }
  table.print();
  print_reasons(summaries, verbose);
}

void print_reasons(const std::vector<Summary>& summaries, bool verbose) {
  for (const Summary& s : summaries) print_failures(s, verbose);
  for (const Summary& s : summaries) print_printed(s, verbose);
  for (const Summary& s : summaries) print_skips(s);
}

void print_times(const OpOutcome& outcome, const harness::Roofline& roofline) {
  const std::vector<Rated> rated = harness::rate(outcome.records, roofline);
  std::vector<std::string> seen;
  for (const Rated& first : rated) {
    const std::string key = where(first.record);
    if (!first.record.bench || std::find(seen.begin(), seen.end(), key) != seen.end()) continue;
    seen.push_back(key);
    const bool compute = roofline.matmul && roofline.copy &&
                         first.record.cost.flops / roofline.matmul->per_second >
                             first.record.cost.bytes / roofline.copy->per_second;
    const auto& cases = outcome.entry->op->cases;
    const auto test = std::find_if(cases.begin(), cases.end(),
                                   [&](const Case& c) { return c.name == first.record.test; });
    const std::string what =
        harness::describe_case(*outcome.entry->op, test == cases.end() ? cases.front() : *test);
    fmt::print("\n  {}  {}\n", paint(Tone::strong, key),
               paint(Tone::dim, what + judged_text(rated, key)));
    Table table({"rung", "time", "spread", compute ? "TFLOP/s" : "TB/s", "roofline", "vs peer", ""},
                "lrrrrrl");
    for (const Rated& r : rated) {
      if (where(r.record) != key) continue;
      const std::string shown = r.record.name + (r.record.peer ? " (peer)" : "");
      if (!r.record.timing) {
        table.add({{shown, Tone::dim},
                   {r.record.status == Status::failed ? "failed" : "skipped", Tone::dim}});
        continue;
      }
      const harness::Timing& t = *r.record.timing;
      table.add({{shown},
                 {time_text(t.median_us)},
                 {fmt::format("±{:.1f}%", 50 * (t.p80_us - t.p20_us) / t.median_us), Tone::dim},
                 {fmt::format("{:.3g}", compute ? r.tflops.value_or(0) : r.tbs.value_or(0))},
                 {r.of_roofline ? fmt::format("{:.1f}%", 100 * *r.of_roofline) : "–"},
                 {r.vs_best_peer ? fmt::format("{:.2f}x", *r.vs_best_peer) : "–"},
                 {r.of_roofline ? bar(*r.of_roofline, 24) : "",
                  r.record.peer ? Tone::note : Tone::good}});
    }
    table.print();
  }
}

void print_closing(const std::vector<OpOutcome>& outcomes) {
  int rungs = 0, passed = 0, failed = 0, skipped = 0;
  for (const OpOutcome& o : outcomes)
    for (const Summary& s : summarise(o.records)) {
      ++rungs;
      passed += s.passed;
      failed += s.failed;
      skipped += s.skipped;
    }
  const std::string skips = skipped ? fmt::format(", {} skipped", skipped) : "";
  const std::string text =
      fmt::format("{} rung{}: {} check{} passed, {} failed{}", rungs, rungs == 1 ? "" : "s", passed,
                  passed == 1 ? "" : "s", failed, skips);
  fmt::print("\n{}\n", paint(failed ? Tone::bad : Tone::good, text));
}

ordered_json backend_json(const Backend& backend) {
  const auto& info = backend.probe.info;
  return {{"backend", backend.name},
          {"device",
           {{"name", info.name},
            {"arch", info.arch},
            {"sms", info.sms},
            {"l2_bytes", info.l2_bytes},
            {"memory_bytes", info.memory_bytes}}}};
}

ordered_json outcome_json(const OpOutcome& outcome, const harness::Roofline& roofline) {
  ordered_json j;
  j["op"] = outcome.entry->name();
  j["folder"] = outcome.entry->folder;
  j["rungs"] = ordered_json::array();
  for (const Summary& s : summarise(outcome.records)) {
    ordered_json r = {{"name", s.name},       {"kind", s.peer ? "peer" : "rung"},
                      {"passed", s.passed},   {"failed", s.failed},
                      {"skipped", s.skipped}, {"ok", s.ok()}};
    if (s.worst) r["max_error"] = s.worst->error, r["allowed"] = s.worst->allowed;
    j["rungs"].push_back(std::move(r));
  }
  j["records"] = ordered_json::array();
  for (const Rated& r : harness::rate(outcome.records, roofline))
    j["records"].push_back(harness::to_json(r));
  return j;
}

void print_json(const ordered_json& j) {
  const std::string text = j.dump(2, ' ', false, ordered_json::error_handler_t::replace);
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fputc('\n', stdout);
}

int exit_status(const std::vector<OpOutcome>& outcomes) {
  for (const OpOutcome& o : outcomes)
    for (const Record& r : o.records)
      if (r.status == Status::failed) return check_failed;
  return all_passed;
}

}  // namespace warpath::cli
