// warpath run: check, then time where times mean something.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>

#include "cli/command.h"
#include "cli/learner.h"
#include "cli/op_names.h"
#include "cli/report.h"
#include "cli/terminal.h"
#include "cli/xray_summary.h"
#include "harness/worker.h"

namespace warpath::cli {
namespace {

constexpr const char* run_examples = R"(
Examples:
  ./warpath run softmax            the ladder: cases passed, worst error; on a CPU what each rung does to memory, on a
                                   GPU times and rates
  ./warpath run norm               every op of a family
  ./warpath run all --dtype bf16
  ./warpath run reduce --rung 05   one rung
  ./warpath run softmax --counts     counts it now: bytes, sectors, bank conflicts, barriers of every rung
  ./warpath run softmax --no-counts  the checks alone
  ./warpath run softmax --json     the same as data
  ./warpath run softmax mine.cu    your own kernel beside the ladder; on a GPU the timed cases

On a CPU there are no times: they would say nothing about a GPU. Nothing is timed that did not pass.
Exit status: 0 all passed, 1 a check failed, 2 the command was wrong or a part is missing.)";

// The best rung of the case that is furthest from the roofline: it has the most to gain.
const harness::Rated* most_to_win(const std::vector<harness::Rated>& rated) {
  std::map<std::string, const harness::Rated*> best;
  for (const harness::Rated& r : rated) {
    if (!r.of_roofline || r.record.peer) continue;
    const harness::Rated*& b = best[r.record.test + std::string(name(r.record.dtype))];
    if (!b || *r.of_roofline > *b->of_roofline) b = &r;
  }
  const harness::Rated* worst = nullptr;
  for (const auto& [key, r] : best)
    if (!worst || *r->of_roofline < *worst->of_roofline) worst = r;
  return worst;
}

// The file that the op's lesson has a reader copy, or the first rung: one that can be changed without
// knowing all of the ladder.
std::string rung_to_change(const harness::Places& places, const OpEntry& entry) {
  std::vector<std::string> files;
  for (const harness::Contestant& c : entry.contestants)
    if (!c.rung->peer) files.push_back(std::filesystem::path(c.rung->file).filename().string());
  const std::string folder = fmt::format("ops/{}/{}/", entry.family, entry.folder);
  std::ifstream lesson(places.root / folder / "README.md");
  for (std::string line; std::getline(lesson, line);)
    for (const std::string& file : files)
      if (line.ends_with(fmt::format("cp {}{} mine.cu", folder, file))) return file;
  return files.empty() ? "" : files.front();
}

std::string next_step(const harness::Places& places, const std::vector<OpOutcome>& outcomes,
                      const Backend& backend, const harness::Roofline& roofline) {
  for (const OpOutcome& o : outcomes)
    for (const harness::Record& r : o.records)
      if (r.status == harness::Status::failed)
        return fmt::format("./warpath check {} --rung {} --case '{}' --dtype {} -v", r.op, r.name,
                           r.test, name(r.dtype));
  const OpOutcome& o = outcomes.front();
  if (backend.gpu) {
    if (const harness::Rated* r = most_to_win(harness::rate(o.records, roofline)))
      return fmt::format(
          "{} {} has most to win: {} reaches {:.0f}% of the roofline there; ./warpath bench {} "
          "--save keeps this",
          r->record.test, name(r->record.dtype), r->record.name, 100 * *r->of_roofline,
          o.entry->folder);
  }
  return fmt::format("copy ops/{}/{}/{} to mine.cu, change it, and ./warpath check {} mine.cu",
                     o.entry->family, o.entry->folder, rung_to_change(places, *o.entry),
                     o.entry->name());
}

// How long `run` may take where it counts, checks and counts together. A folder may hold a forward and a backward op: they
// share one time.
double seconds_in_all(const Options& o, const std::vector<OpEntry>& ops) {
  std::set<std::string> folders;
  for (const OpEntry& e : ops) folders.insert(e.folder);
  return o.count_seconds * static_cast<double>(folders.size());
}

bool is_one_folder(const std::vector<OpEntry>& ops) {
  return std::ranges::all_of(ops, [&](const OpEntry& e) { return e.folder == ops.front().folder; });
}

// Which part of the time the checks may take: nearly all of it where the counts of all rungs are there already.
double share_of_checks(const Options& o, const std::vector<OpEntry>& ops, KeptCounts* kept) {
  if (o.counts) return 0.25;  // the counts are what was asked for
  for (const OpEntry& e : ops)
    for (const harness::Contestant& c : e.contestants)
      if (!c.rung->peer && kept->of(e.name(), c).is_null()) return 0.6;
  return 0.9;
}

// The launcher builds what counting needs; a program that was built alone may be without it.
bool can_count(const harness::Places& places) {
  return std::filesystem::exists(places.lib / "libsimt_xray.so");
}

// How long the rungs of the op `at` may be counted: what is left of that time, shared by the ops that are left.
double seconds_to_count(const Options& o, std::chrono::steady_clock::time_point start,
                        const std::vector<OpEntry>& ops, std::size_t at) {
  const double least = std::min(2.0, o.count_seconds);  // where the checks alone took the time
  const double spent =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return std::max(least, (seconds_in_all(o, ops) - spent) / static_cast<double>(ops.size() - at));
}

// Which checks were left out, and how to have them; empty: none.
std::string checks_left_out(const OpOutcome& outcome, bool one_type) {
  const std::size_t left_out = outcome.left_out(), all = outcome.entry->attempts.size();
  if (left_out == 0) return "";
  return fmt::format("{}: left out: {} of {} cases{}, for want of time; ./warpath check {} has all",
                     outcome.entry->name(), left_out, all, one_type ? " (each in one type)" : "",
                     outcome.entry->name());
}

int run(const Options& o) {
  const auto start = std::chrono::steady_clock::now();
  const harness::Places places = harness::find_places();
  if (!o.fork) harness::Worker::stay_in_this_process();
  const Backend backend = choose_backend(places, o.backend);
  std::vector<std::string> names, files;
  for (const std::string& word : o.names) (is_kernel_file(word) ? files : names).push_back(word);
  const LearnerKernels own(places, backend, false, files, {names, "", {"", "", ""}});
  for (const std::string& op : own.ops())
    if (!files.empty() && names.empty()) names.push_back(op);
  std::vector<OpEntry> ops = find_ops(places, names, backend.name, RungSet::ladder_and_peers);
  narrow_rungs(ops, o.rungs);
  own.join(ops);
  // Beside a learner's own kernel what `check` has not run yet: the timed cases.
  narrow_cases(ops, o, !backend.gpu ? Cases::small : files.empty() ? Cases::all : Cases::bench);
  // On a CPU one op is counted unasked. The counts are to come soon; `check` has every case in every type.
  const bool counts =
      o.counts || (!backend.gpu && !o.no_counts && is_one_folder(ops) && can_count(places));
  const bool soon = counts && !backend.gpu;
  const bool one_type = soon && o.counts && o.dtypes.empty() && o.cases.empty();
  if (one_type) keep_one_type(ops);
  std::erase_if(ops, [](const OpEntry& e) { return e.contestants.empty() || e.attempts.empty(); });
  if (ops.empty()) throw Refusal("nothing to run: no rung, case and type fit together");

  harness::Settings settings = make_settings(places, backend, o);
  settings.time = backend.gpu;
  std::unique_ptr<KeptCounts> kept;
  if (counts && !o.counts) kept = std::make_unique<KeptCounts>(places);
  if (soon) {
    smallest_first(ops);
    settings.op_seconds = share_of_checks(o, ops, kept.get()) * seconds_in_all(o, ops) /
                          static_cast<double>(ops.size());
  }
  if (!o.json) print_backend(backend, settings);
  harness::Roofline roofline;
  if (backend.gpu) roofline = measure_roofline(settings);
  const std::vector<OpOutcome> outcomes = run_with_progress(ops, settings);

  if (o.json) {
    nlohmann::ordered_json j = backend_json(backend);
    j["seed"] = settings.seed;
    j["passed"] = exit_status(outcomes) == all_passed;
    for (const OpOutcome& outcome : outcomes) {
      const double seconds = seconds_to_count(o, start, ops, j["ops"].size());
      j["ops"].push_back(outcome_json(outcome, roofline));
      if (soon) j["ops"].back()["cases_left_out"] = outcome.left_out();
      if (counts)
        j["ops"].back()["counts"] = count_rungs(places, *outcome.entry, kept.get(), seconds);
    }
    j["next"] = next_step(places, outcomes, backend, roofline);
    print_json(j);
    return exit_status(outcomes);
  }
  std::size_t at = 0;
  for (const OpOutcome& outcome : outcomes) {
    print_checks(outcome, o.verbose);
    if (backend.gpu) print_times(outcome, roofline);
    if (counts) {
      Progress progress;
      progress.show("compiling the rungs of " + outcome.entry->name() + " to be counted");
      const nlohmann::ordered_json found =
          count_rungs(places, *outcome.entry, kept.get(), seconds_to_count(o, start, ops, at++));
      progress.clear();
      print_counts(found);
    }
  }
  print_closing(outcomes);
  bool all_cases = true;
  for (const OpOutcome& outcome : outcomes)
    if (const std::string what = checks_left_out(outcome, one_type); !what.empty()) {
      fmt::print("{}\n", what);
      all_cases = false;
    }
  if (one_type && all_cases) fmt::print("each case in one type; ./warpath check has all of them\n");
  if (!backend.gpu && !counts && !o.no_counts && exit_status(outcomes) == all_passed)
    fmt::print("{} ./warpath run {} --counts shows why a rung is fast or slow\n",
               paint(Tone::note, "also:"), outcomes.front().entry->name());
  fmt::print("{} {}\n", paint(Tone::note, "next:"), next_step(places, outcomes, backend, roofline));
  return exit_status(outcomes);
}

}  // namespace

const Command run_command = {
    "run",
    "check, then time on a GPU",
    run_examples,
    [](Flags& flags, Options& o) {
      flags.names(o.names, "ops, families, 'all', or .cu files of your own", true);
      add_selection_flags(flags, o);
      flags.seconds("--seconds", o.seconds,
                    "timer budget of one rung and case on a GPU, all its turns together");
      flags.yes(
          "--counts", o.counts,
          "count now what each rung does to memory, on this CPU, also for several ops or on a GPU");
      flags.yes("--no-counts", o.no_counts, "the checks alone");
      flags.seconds("--count-seconds", o.count_seconds,
                    "with counts: how long the whole command may take per op; cases and rungs left "
                    "out say so");
      flags.yes("-v,--verbose", o.verbose, "every failure with all it printed");
      add_running_flags(flags, o);
      add_json_flag(flags, o);
    },
    run,
    [](const Options& o) { must_be_there(o.names); }};

}  // namespace warpath::cli
