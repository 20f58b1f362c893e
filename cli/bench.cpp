// warpath bench: against the vendor's kernels and the copy limit; writes the result files.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "cli/command.h"
#include "cli/frameworks.h"
#include "cli/op_names.h"
#include "cli/report.h"
#include "cli/tables.h"
#include "cli/terminal.h"
#include "harness/turns.h"
#include "harness/worker.h"

namespace fs = std::filesystem;

namespace warpath::cli {
namespace {

constexpr const char* bench_examples = R"(
Examples:
  ./warpath bench softmax                  every rung and peer on the bench cases
  ./warpath bench all --save               and write ops/*/*/results/<device>.json and the tables
  ./warpath bench matmul/                  every op of the family
  ./warpath bench reduce --rung 06 --seconds 1
  ./warpath bench reduce --rung 06,CUB --save
                                           measure these again, keep the rest of the file
  ./warpath bench transpose --no-peers --dtype bf16
  ./warpath bench softmax --save --python build/venv/bin/python     with PyTorch, torch.compile and Triton

All rungs and peers of a case are checked, then those that passed take turns at the clock, then each
is checked again. So a ratio is of times that were taken side by side: with --rung name the peer too.
--save with --rung, --case or --dtype replaces what was measured again in the result file there is.
Exit status: 0 all passed, 1 a check failed, 2 the command was wrong or a part is missing.)";

fs::path result_file(const harness::Places& places, const OpEntry& entry, const Backend& backend) {
  return places.root / "ops" / entry.family / entry.folder / "results" /
         (harness::device_slug(backend.probe.info.name) + ".json");
}

harness::ResultHead make_head(const harness::Places& places, const Backend& backend,
                              const harness::Roofline& roofline) {
  const auto& info = backend.probe.info;
  const std::string driver = harness::driver_version();
  harness::ResultHead head;
  head.device = info.name;
  head.arch = info.arch;
  head.driver =
      (driver.empty() ? "" : driver + ", ") + ("CUDA " + harness::cuda_version(info.driver));
  head.runtime = harness::cuda_version(info.runtime);
  head.date = harness::utc_now();
  head.commit = harness::source_commit(places.root);
  head.method = backend.probe.method + "; " + harness::turns_method();
  head.roofline = roofline;
  return head;
}

void print_roofline(const harness::Roofline& r) {
  if (r.copy)
    fmt::print("  copy    {:6.3f} TB/s    {}\n", r.copy->per_second * 1e-12,
               paint(Tone::dim, r.copy->how));
  if (r.matmul)
    fmt::print("  matmul  {:6.1f} TFLOP/s {}\n", r.matmul->per_second * 1e-12,
               paint(Tone::dim, r.matmul->how));
  if (!r.error.empty()) fmt::print("  {}\n", paint(Tone::dim, "not measured: " + r.error));
}

// Checked before an hour of measuring, not after it.
void refuse_bad_files(const harness::Places& places, const Backend& backend,
                      const std::vector<OpEntry>& ops, bool all_rungs) {
  for (const OpEntry& e : ops) {
    const fs::path file = result_file(places, e, backend);
    if (fs::exists(file))
      harness::read_results(file);
    else if (!all_rungs)
      throw Refusal(fmt::format(
          "no result file of {} for this device yet: the first has every rung, leave out --rung",
          e.folder));
  }
}

// A result file belongs to a folder, which may declare several ops.
std::vector<std::vector<OpEntry>> by_folder(std::vector<OpEntry> ops) {
  std::vector<std::vector<OpEntry>> folders;
  for (OpEntry& e : ops) {
    const auto same = [&](const std::vector<OpEntry>& f) { return f[0].folder == e.folder; };
    auto folder = std::find_if(folders.begin(), folders.end(), same);
    if (folder == folders.end()) folder = folders.insert(folder, std::vector<OpEntry>{});
    folder->push_back(std::move(e));
  }
  return folders;
}

std::vector<std::string> save(const harness::Places& places, const Backend& backend,
                              const harness::ResultHead& head,
                              const std::vector<OpOutcome>& outcomes, bool whole) {
  std::map<fs::path, std::vector<harness::Rated>> records;  // by file
  for (const OpOutcome& o : outcomes)
    for (harness::Rated& r : harness::rate(o.records, head.roofline))
      records[result_file(places, *o.entry, backend)].push_back(std::move(r));
  std::vector<std::string> files;
  for (const auto& [file, rated] : records) {
    const bool create = whole || !fs::exists(file);
    (create ? harness::write_results : harness::update_results)(file, head, rated);
    files.push_back(file.string());
  }
  return files;
}

// The measurements are safe on disk by now: a page that cannot be written is no reason to fail.
std::vector<std::string> refresh(const harness::Places& places,
                                 const std::vector<OpOutcome>& outcomes) {
  std::set<std::string> folders;
  for (const OpOutcome& o : outcomes) folders.insert(o.entry->folder);
  try {
    return refresh_pages(places.root, {folders.begin(), folders.end()});
  } catch (const std::exception& e) {
    fmt::print(stderr, "warpath: the pages are left as they were: {}\n", e.what());
    return {};
  }
}

int bench(const Options& o) {
  const harness::Places places = harness::find_places();
  if (!o.fork) harness::Worker::stay_in_this_process();
  const Backend backend = choose_backend(places, o.backend);
  if (!backend.gpu)
    throw Refusal(
        "times need an NVIDIA GPU, and none answers here; ./warpath run and ./warpath check work "
        "on this CPU");
  const bool filtered = !o.rungs.empty() || !o.cases.empty() || !o.dtypes.empty() || !o.peers;
  if (o.save && !o.peers)
    throw Refusal("--save rates against the vendor's kernels; leave out --no-peers");
  std::vector<OpEntry> ops = find_ops(places, o.names, backend.name,
                                      o.peers ? RungSet::ladder_and_peers : RungSet::ladder);
  if (o.save && !filtered)
    for (const std::string& word : o.names)
      for (const NamedFolder& named : named_folders(places, word))
        if (!named.op.empty())
          throw Refusal(fmt::format("--save writes whole result files: bench '{}' instead of '{}'",
                                    named.folder, named.op));
  narrow(ops, o, Cases::bench);
  if (ops.empty()) throw Refusal("nothing to time: no rung, bench case and type fit together");
  if (o.save) refuse_bad_files(places, backend, ops, o.rungs.empty());

  harness::Settings settings = make_settings(places, backend, o);
  settings.time = true;
  harness::Spent spent;
  settings.spent = &spent;
  if (!o.json) print_backend(backend, settings);
  const harness::Roofline roofline = measure_roofline(settings);
  if (!o.json) print_roofline(roofline);
  const harness::ResultHead head = make_head(places, backend, roofline);
  const std::vector<std::vector<OpEntry>> folders = by_folder(std::move(ops));
  std::vector<OpOutcome> outcomes;
  for (const std::vector<OpEntry>& folder : folders) {
    std::vector<OpOutcome> measured = run_with_progress(folder, settings);
    // Safe on disk before the next folder begins, and whatever Python does.
    if (o.save) save(places, backend, head, measured, !filtered);
    std::move(measured.begin(), measured.end(), std::back_inserter(outcomes));
  }
  if (!o.python.empty()) add_framework_peers(o.python, outcomes);
  const std::vector<std::string> files =
      o.save ? save(places, backend, head, outcomes, !filtered) : std::vector<std::string>{};
  const std::vector<std::string> pages =
      o.save ? refresh(places, outcomes) : std::vector<std::string>{};

  if (o.json) {
    nlohmann::ordered_json j = harness::to_json(head);
    j["passed"] = exit_status(outcomes) == all_passed;
    j["saved"] = files;
    j["pages"] = pages;
    for (const OpOutcome& outcome : outcomes) j["ops"].push_back(outcome_json(outcome, roofline));
    print_json(j);
    return exit_status(outcomes);
  }
  for (const OpOutcome& outcome : outcomes) {
    print_checks(outcome, o.verbose);
    print_times(outcome, roofline);
  }
  print_closing(outcomes);
  fmt::print("{}\n", paint(Tone::dim,
                           fmt::format("took {:.0f} s for inputs and references, {:.0f} s on the "
                                       "GPU or waiting for it, {:.0f} s to judge",
                                       spent.cases, spent.device, spent.judging)));
  for (const std::string& f : files) fmt::print("wrote {}\n", f);
  for (const std::string& f : pages) fmt::print("wrote {}\n", f);
  return exit_status(outcomes);
}

}  // namespace

const Command bench_command = {
    "bench",
    "times against the vendor's kernels and the roofline (GPU)",
    bench_examples,
    [](Flags& flags, Options& o) {
      flags.names(o.names, "ops, families, or 'all'", true);
      add_selection_flags(flags, o);
      flags.yes("--save", o.save, "write ops/<family>/<op>/results/<device>.json");
      flags.yes("--peers,!--no-peers", o.peers, "time the vendor's kernels too (default)");
      flags.text("--python", o.python, "PROGRAM",
                 "time PyTorch, torch.compile and Triton too, by this Python "
                 "(build/venv/bin/python)");
      flags.seconds("--seconds", o.seconds,
                    "timer budget of one rung and case, all its turns together");
      flags.seconds("--patience", o.patience,
                    "leave out a rung where a launch would take more seconds, by its last case");
      flags.yes("-v,--verbose", o.verbose, "every failure with all it printed");
      add_running_flags(flags, o);
      add_json_flag(flags, o);
    },
    bench,
    [](const Options& o) { must_be_there(o.names); }};

}  // namespace warpath::cli
