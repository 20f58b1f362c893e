#include "cli/bench_missing.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "cli/frameworks.h"
#include "cli/missing.h"
#include "cli/op_names.h"
#include "cli/report.h"
#include "cli/save_results.h"
#include "cli/terminal.h"

namespace fs = std::filesystem;

namespace warpath::cli {
namespace {

// What the result files of a device lack, of all these ops. Read again each time: others may measure, too.
std::vector<MissingCase> all_missing(const std::vector<OpEntry>& ops, double patience,
                                     const std::function<fs::path(const OpEntry&)>& file_of,
                                     int arch, SourceDigests& sources, TakenCalls& taken) {
  std::vector<MissingCase> all;
  for (const OpEntry& e : ops) {
    const fs::path path = file_of(e);
    std::optional<harness::ResultFile> file;
    if (fs::exists(path)) file = harness::read_result_file(path);
    std::ranges::move(missing_cases(e, file ? &*file : nullptr, arch, patience, sources, taken),
                      std::back_inserter(all));
  }
  return all;
}

// A cell of the table; `--json` has all names.
std::string first_of(const std::vector<std::string>& names) {
  return names.size() <= 3 ? join(names)
                           : fmt::format("{} and {} others", names.front(), names.size() - 1);
}

int list_missing(const Options& o, const std::string& device, std::vector<MissingCase> cases) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  Table table({"case", "missing", "why"});
  std::map<Lack, int> counts;
  while (const MissingCase* m = most_urgent(cases)) {
    const harness::Attempt& a = m->entry.attempts.front();
    ++counts[m->lack];
    list.push_back({{"op", m->entry.name()},
                    {"folder", m->entry.folder},
                    {"case", m->entry.op->cases[a.test].name},
                    {"dtype", name(a.dtype)},
                    {"missing", m->names},
                    {"why", words(m->lack)}});
    table.add({where(*m), first_of(m->names), {words(m->lack), Tone::dim}});
    cases.erase(cases.begin() + (m - cases.data()));
  }
  if (o.json) {
    print_json({{"device", device}, {"missing", list}});
    return all_passed;
  }
  if (list.empty()) {
    fmt::print("{}: every rung has a time in every timed case that it takes\n", device);
    return all_passed;
  }
  table.print();
  std::vector<std::string> reasons;
  for (const auto& [lack, count] : counts)
    reasons.push_back(fmt::format("{} in {}", words(lack), count));
  fmt::print("{}: {} cases lack something: {}\n", device, list.size(), join(reasons));
  fmt::print("./warpath bench all --missing measures it on such a GPU\n");
  return all_passed;
}

// Frameworks are asked once per op, for its cases without any of them.
void add_missing_frameworks(const Measuring& m, const std::vector<OpEntry>& ops,
                            const std::function<bool()>& has_time, std::set<std::string>& folders) {
  for (const OpEntry& e : ops) {
    if (!has_time()) return;
    const fs::path path = result_file(m.places, e, m.backend);
    if (!fs::exists(path)) continue;
    const harness::ResultFile file = harness::read_result_file(path);
    const harness::OpResults* results = file.find(e.name());
    if (!results) continue;
    OpEntry without = e;
    std::erase_if(without.attempts, [&](const harness::Attempt& a) {
      const harness::MeasuredCase at{e.op->cases[a.test].name, std::string(name(a.dtype))};
      return std::any_of(results->records.begin(), results->records.end(),
                         [&](const harness::Measured& r) {
                           return r.peer && r.at == at &&
                                  std::none_of(e.contestants.begin(), e.contestants.end(),
                                               [&](const auto& c) { return c.name == r.name; });
                         });
    });
    if (without.attempts.empty()) continue;
    std::vector<OpOutcome> outcomes(1);
    outcomes[0].entry = &without;
    add_framework_peers(m.options.python, outcomes);
    save_results(m.places, m.backend, m.head, outcomes, false);
    folders.insert(e.folder);
  }
}

}  // namespace

int list_missing_of(const Options& o, const harness::Places& places, const Backend& backend,
                    const std::vector<OpEntry>& ops) {
  SourceDigests sources(places.root);
  TakenCalls taken;
  const auto file_of = [&](const OpEntry& e) { return result_file(places, e, backend); };
  const auto& info = backend.probe.info;
  return list_missing(o, info.name,
                      all_missing(ops, o.patience, file_of, info.arch, sources, taken));
}

int list_missing_of_files(const Options& o, const harness::Places& places,
                          const std::vector<OpEntry>& ops) {
  std::map<std::string, int> devices;  // and their architectures
  for (const OpEntry& e : ops)
    for (const harness::ResultFile& f :
         harness::result_files(places.root / "ops" / e.family / e.folder))
      devices[f.path.filename().string()] = f.arch;
  if (devices.empty())
    throw Refusal("no GPU answers here, and no GPU has left results of these ops");
  int status = all_passed;
  TakenCalls taken;
  for (const auto& [file, arch] : devices) {
    SourceDigests sources(places.root);
    const auto file_of = [&, name = file](const OpEntry& e) {
      return places.root / "ops" / e.family / e.folder / "results" / name;
    };
    status = list_missing(o, fs::path(file).stem().string(),
                          all_missing(ops, o.patience, file_of, arch, sources, taken));
  }
  return status;
}

int bench_missing(const Measuring& m, const std::vector<OpEntry>& ops) {
  const auto begin = std::chrono::steady_clock::now();
  const auto has_time = [&] {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    return !m.options.within || spent.count() < *m.options.within;
  };
  const auto file_of = [&](const OpEntry& e) { return result_file(m.places, e, m.backend); };
  const bool shown = !m.options.json;
  SourceDigests sources(m.places.root);
  TakenCalls taken;
  std::set<std::string> tried, folders;
  nlohmann::ordered_json told = harness::to_json(m.head);
  told["ops"] = nlohmann::ordered_json::array();
  int status = all_passed;
  std::size_t left = 0;
  for (;;) {
    std::vector<MissingCase> cases =
        all_missing(ops, m.options.patience, file_of, m.backend.probe.info.arch, sources, taken);
    std::erase_if(cases, [&](const MissingCase& c) { return tried.contains(where(c)); });
    left = cases.size();
    const MissingCase* const next = most_urgent(cases);
    if (!next || !has_time()) break;
    tried.insert(where(*next));
    const std::vector<OpEntry> one{next->entry};
    const std::vector<OpOutcome> outcomes = run_with_progress(one, m.settings);
    save_results(m.places, m.backend, m.head, outcomes, false);
    folders.insert(next->entry.folder);
    status = std::max(status, exit_status(outcomes));
    told["ops"].push_back(outcome_json(outcomes.front(), m.head.roofline));
    if (!shown) continue;
    if (status != all_passed) print_checks(outcomes.front(), m.options.verbose);
    print_times(outcomes.front(), m.head.roofline);
    std::fflush(stdout);
  }
  if (!m.options.python.empty()) add_missing_frameworks(m, ops, has_time, folders);
  const std::vector<std::string> pages =
      folders.empty() ? std::vector<std::string>{} : refresh_tables(m.places, folders);
  if (!shown) {
    told["passed"] = status == all_passed;
    told["pages"] = pages;
    told["left"] = left;
    print_json(told);
    return status;
  }
  for (const std::string& f : pages) fmt::print("wrote {}\n", f);
  if (tried.empty() && left == 0)
    fmt::print("nothing is missing: every rung has a time in every timed case that it takes\n");
  else
    fmt::print("{} cases measured and saved, {} left{}\n", tried.size(), left,
               left > 0 ? "; the same command goes on with them" : "");
  return status;
}

}  // namespace warpath::cli
