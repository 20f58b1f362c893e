// warpath bench: against the vendor's kernels and the copy limit; writes the result files.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "cli/bench_missing.h"
#include "cli/command.h"
#include "cli/frameworks.h"
#include "cli/op_names.h"
#include "cli/report.h"
#include "cli/save_results.h"
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
  ./warpath bench all --missing --within 1200
                                           for twenty minutes: what the result files lack
  ./warpath bench all --missing --list     what that is; needs no GPU

All rungs and peers of a case are checked, then those that passed take turns at the clock, then each
is checked again. So a ratio is of times that were taken side by side: with --rung name the peer too.
--save with --rung, --case or --dtype replaces what was measured again in the result file there is.
--missing times, and saves case by case: rungs that never were timed first, then cases without a rung, without
a peer, rungs whose code has changed since, what else has no time, and times of unknown code. Stop it at any time: it goes on from there.
Exit status: 0 all passed, 1 a check failed, 2 the command was wrong or a part is missing.)";

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

int bench(const Options& o) {
  const harness::Places places = harness::find_places();
  if (!o.fork) harness::Worker::stay_in_this_process();
  const Backend backend = choose_backend(places, o.backend);
  if ((o.list || o.within) && !o.missing)
    throw Refusal("--list and --within go with --missing: what the result files lack");
  if (o.missing && !o.rungs.empty())
    throw Refusal(
        "--missing finds out which rungs have no time; leave out --rung, or leave out --missing");
  if (o.list && !backend.gpu) {
    std::vector<OpEntry> ops = find_ops(places, o.names, backend.name, RungSet::ladder);
    narrow(ops, o, Cases::bench);
    return list_missing_of_files(o, places, ops);
  }
  if (!backend.gpu)
    throw Refusal(
        "times need an NVIDIA GPU, and none answers here; ./warpath run and ./warpath check work "
        "on this CPU");
  const bool filtered = !o.rungs.empty() || !o.cases.empty() || !o.dtypes.empty() || !o.peers;
  if ((o.save || o.missing) && !o.peers)
    throw Refusal(fmt::format("--{} rates against the vendor's kernels; leave out --no-peers",
                              o.save ? "save" : "missing"));
  std::vector<OpEntry> ops = find_ops(places, o.names, backend.name,
                                      o.peers ? RungSet::ladder_and_peers : RungSet::ladder);
  if (o.save && !o.missing && !filtered)
    for (const std::string& word : o.names)
      for (const NamedFolder& named : named_folders(places, word))
        if (!named.op.empty())
          throw Refusal(fmt::format("--save writes whole result files: bench '{}' instead of '{}'",
                                    named.folder, named.op));
  narrow(ops, o, Cases::bench);
  if (o.list) return list_missing_of(o, places, backend, ops);
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
  if (o.missing) return bench_missing({o, places, backend, head, settings}, ops);
  const std::vector<std::vector<OpEntry>> folders = by_folder(std::move(ops));
  std::vector<OpOutcome> outcomes;
  for (const std::vector<OpEntry>& folder : folders) {
    std::vector<OpOutcome> measured = run_with_progress(folder, settings);
    // Safe on disk before the next folder begins, and whatever Python does.
    if (o.save) save_results(places, backend, head, measured, !filtered);
    std::move(measured.begin(), measured.end(), std::back_inserter(outcomes));
  }
  if (!o.python.empty()) add_framework_peers(o.python, outcomes);
  const std::vector<std::string> files =
      o.save ? save_results(places, backend, head, outcomes, !filtered)
             : std::vector<std::string>{};
  std::set<std::string> named;
  for (const OpOutcome& outcome : outcomes) named.insert(outcome.entry->folder);
  const std::vector<std::string> pages =
      o.save ? refresh_tables(places, named) : std::vector<std::string>{};

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
      flags.yes("--missing", o.missing,
                "time what the result files lack, and save it case by case");
      flags.seconds("--within", o.within, "with --missing: begin no case after so many seconds");
      flags.yes("--list", o.list, "with --missing: show what is missing, time nothing");
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
