// warpath check: correctness only, every case.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "cli/call.h"
#include "cli/check_process.h"
#include "cli/command.h"
#include "cli/learner.h"
#include "cli/op_names.h"
#include "cli/report.h"
#include "cli/sanitize.h"
#include "cli/source_text.h"
#include "cli/terminal.h"
#include "harness/worker.h"

namespace warpath::cli {
namespace {

constexpr const char* check_examples = R"(
Examples:
  ./warpath check all                          every rung of every op
  ./warpath check softmax --dtype bf16         one op in one type
  ./warpath check softmax --rung 03 --case prime
  ./warpath check softmax mine.cu              your own kernel, on the cases of the op
  ./warpath check softmax mine.cu --ladder     the shipped rungs beside it
  ./warpath check softmax mine.cu --grid rows --block 128     a plain kernel: one block per row
  ./warpath check all --wrong                  kernels that look right; each must be rejected
  ./warpath check softmax --sanitize           every access watched: memory, races, unwritten reads, barriers

Your own file may hold a rung, or just a kernel, matched with the op by the names and the order of its
parameters: docs/your-kernel.md.
A rung runs in a process of its own: one that crashes or hangs is reported as failed, and the rest goes on.
Exit status: 0 all passed, 1 a check failed, 2 the command was wrong or a part is missing.)";

// Each wrong kernel has to fail in at least one case; the first reason is shown. On a GPU a race may
// pass by luck, which is not an error here. The CPU backend's order of threads brings it out, except
// for those that only --sanitize is sure to find.
int report_wrong(const Options& o, const Backend& backend, const std::vector<OpOutcome>& outcomes) {
  int accepted = 0, rejected = 0, lucky = 0;
  nlohmann::ordered_json j = backend_json(backend);
  j["wrong"] = nlohmann::ordered_json::array();
  for (const OpOutcome& outcome : outcomes) {
    if (!o.json) fmt::print("\n{}  wrong kernels\n", paint(Tone::strong, outcome.entry->name()));
    for (const Summary& s : summarise(outcome.records)) {
      const bool caught = !s.failures.empty();
      const bool luck =
          !caught && (backend.gpu ? is_race(outcome, s.name) : needs_weak_memory(outcome, s.name));
      (caught ? rejected : luck ? lucky : accepted) += 1;
      const std::string why =
          caught ? fmt::format("{} {}: {}", s.failures[0]->test, name(s.failures[0]->dtype),
                               s.failures[0]->reason)
          : luck ? (backend.gpu
                        ? "a race that did not show; compute-sanitizer --tool racecheck sees it"
                        : "a race that did not show; --wrong --sanitize must find it")
                 : "passed every check";
      j["wrong"].push_back({{"op", outcome.entry->name()},
                            {"name", s.name},
                            {"rejected", caught},
                            {"reason", why},
                            {"failed", s.failed},
                            {"passed", s.passed}});
      if (o.json) continue;
      fmt::print("  {} {}\n      {}\n", s.name,
                 caught ? paint(Tone::good, fmt::format("rejected by {} of {} cases", s.failed,
                                                        s.failed + s.passed))
                 : luck ? paint(Tone::note, "passed by luck")
                        : paint(Tone::bad, "ACCEPTED"),
                 why);
    }
  }
  j["rejected"] = rejected;
  j["accepted"] = accepted;
  j["passed_by_luck"] = lucky;
  if (o.json)
    print_json(j);
  else
    fmt::print("\n{}\n",
               paint(accepted ? Tone::bad : Tone::good,
                     fmt::format("{} wrong kernels rejected, {} accepted{}", rejected, accepted,
                                 lucky ? fmt::format(", {} race{} passed by luck", lucky,
                                                     lucky == 1 ? "" : "s")
                                       : "")));
  return accepted ? check_failed : all_passed;
}

// The ops to check, with their rungs: a learner's own first, and alone unless others are asked for.
std::vector<OpEntry> ops_to_check(const Options& o, const harness::Places& places,
                                  const std::string& libraries, const LearnerKernels& own,
                                  const std::vector<std::string>& names,
                                  const std::vector<std::string>& files) {
  const std::vector<std::string> mine = own.ops();
  if (files.empty()) {
    std::vector<OpEntry> ops =
        find_ops(places, names, libraries, o.wrong ? RungSet::wrong : RungSet::ladder_and_peers);
    narrow_rungs(ops, o.rungs);
    return ops;
  }
  const bool shipped = o.ladder || !o.rungs.empty();
  const auto is_mine = [&](const OpEntry& e) {
    return std::find(mine.begin(), mine.end(), e.name()) != mine.end();
  };
  std::vector<OpEntry> ops;
  for (const std::string& word : names.empty() ? mine : names) {
    std::vector<OpEntry> some =
        find_ops(places, {word}, libraries, shipped ? RungSet::ladder_and_peers : RungSet::none);
    if (std::none_of(some.begin(), some.end(), is_mine))
      throw Refusal(
          fmt::format("{0} was not run: it is a rung of {1}, not of {2}; ./warpath check "
                      "{1} {0}",
                      fmt::join(files, " "), fmt::join(mine, " "), word));
    for (OpEntry& e : some)
      if (is_mine(e) && std::none_of(ops.begin(), ops.end(), [&](const OpEntry& known) {
            return known.name() == e.name();
          }))
        ops.push_back(std::move(e));
  }
  for (const std::string& op : mine)
    if (std::none_of(ops.begin(), ops.end(), [&](const OpEntry& e) { return e.name() == op; }))
      throw Refusal(
          fmt::format("no op that was named is {0}, of which {1} has a rung; ./warpath "
                      "check {0} {1}",
                      op, fmt::join(files, " ")));
  narrow_rungs(ops, o.rungs);
  own.join(ops);
  for (OpEntry& e : ops)
    std::stable_partition(e.contestants.begin(), e.contestants.end(),
                          [](const auto& c) { return is_kernel_file(c.name); });
  return ops;
}

// The learner's files that no case ran, with the reason; empty: all of them ran.
std::string files_not_run(const std::vector<OpOutcome>& outcomes) {
  std::string text;
  for (const OpOutcome& outcome : outcomes)
    for (const Summary& s : summarise(outcome.records))
      if (is_kernel_file(s.name) && s.passed + s.failed == 0)
        text += fmt::format("{}{} was not run: {}", text.empty() ? "" : "\n", s.name,
                            s.skips.empty() ? "there is no case for it" : s.skips.front()->reason);
  return text;
}

// A plain kernel is registered by nobody: what a rung's author is told about that is left out.
void without_registration(const LearnerKernels& own, std::vector<OpOutcome>& outcomes) {
  for (OpOutcome& outcome : outcomes)
    for (harness::Record& r : outcome.records)
      if (const std::size_t at = r.reason.find("; a rung that may do that is registered");
          at != r.reason.npos && own.plain(r.name))
        r.reason.resize(at);
}

bool passed_or_skipped(const OpOutcome& outcome) {
  return std::none_of(outcome.records.begin(), outcome.records.end(),
                      [](const auto& r) { return r.status == harness::Status::failed; });
}

// A learner's first wrong element: runs that case once more under the checks, which see every write, and adds to the
// reason who wrote it. Where that cannot be done the reason stays as it is.
void name_writer(const harness::Places& places, const std::vector<std::string>& files,
                 const std::string& seed, std::vector<OpOutcome>& outcomes) {
  for (OpOutcome& outcome : outcomes)
    for (harness::Record& r : outcome.records) {
      if (r.status != harness::Status::failed || !is_kernel_file(r.name)) continue;
      const auto file = std::find_if(files.begin(), files.end(), [&](const std::string& f) {
        return std::filesystem::path(f).filename() == r.name;
      });
      if (file == files.end()) return;
      const std::string writer =
          find_writer(places, r.op, *file, r.test, std::string(name(r.dtype)), seed, r.reason);
      if (!writer.empty()) r.reason += "; " + writer;
      return;
    }
}

// The learner's file that a record is of; empty: it is of a shipped rung.
std::string own_file(const Options& o, const harness::Record& r) {
  if (is_kernel_file(r.name))
    for (const std::string& word : o.names)
      if (is_kernel_file(word) && std::filesystem::path(word).filename() == r.name) return word;
  return {};
}

// How it is checked; empty as before.
std::string own_words(const Options& o, const harness::Record& r) {
  const std::string file = own_file(o, r);
  return file.empty() ? file : r.op + " " + shell_word(file) + launch_words(o);
}

// A plain kernel has no launcher that could set its output to zero: its comment says so. Empty: that is not the trouble.
std::string let_it_begin_with_zeros(const harness::Record& r, const PlainKernel& kernel) {
  std::string output;
  if (r.reason.find("depends on what the output or the scratch held") != r.reason.npos)
    output = r.reason.substr(0, r.reason.find('['));
  for (const auto& f : r.findings)
    if (f.value("kind", "") == "uninitialised" && f.contains("allocation"))
      output = f["allocation"].value("name", "");
  if (std::ranges::find(kernel.entries, output) == kernel.entries.end()) return {};
  if (std::ranges::find(kernel.only_assigned, output) != kernel.only_assigned.end()) return {};
  std::vector<std::string> entries = kernel.entries;
  for (std::string& e : entries)
    if (e == output) e += "=0";
  return fmt::format(
      "write above the kernel that {} begins with zeros: // warpath: {}({}); docs/your-kernel.md",
      output, kernel.op, fmt::join(entries, ", "));
}

// A kernel that is meant for another launch than the default one: it leaves elements out, or does not end because every
// thread does what one was meant to do. Empty: that is not the trouble.
std::string choose_a_launch(const harness::Record& r, const PlainKernel& kernel) {
  if (kernel.launch_chosen) return {};
  if (r.reason.starts_with("did not write "))
    return fmt::format(
        "it was launched as {}, the default. If it is meant for other blocks, or fewer: --block "
        "32,32, --grid rows; docs/your-kernel.md",
        kernel.launch);
  if (r.reason.starts_with("no answer"))
    return fmt::format(
        "it was launched as {}, the default. If it is meant for one thread: --grid 1 --block 1; "
        "docs/your-kernel.md",
        kernel.launch);
  return {};
}

// Whether the largest case that a learner's file passed has one element: most wrong kernels are right there.
bool passed_one_element_only(const OpOutcome& outcome, const std::string& rung) {
  bool any = false;
  for (const harness::Record& r : outcome.records) {
    if (r.name != rung || r.status != harness::Status::passed) continue;
    any = true;
    for (const auto& [dim, size] : r.dims)
      if (size > 1) return false;
  }
  return any;
}

// For a learner's file that passed: right results do not show a race or a barrier that some threads skip, and neither
// shows why it is slow.
std::string passed_step(const Options& o, const Backend& backend,
                        const std::vector<OpOutcome>& outcomes) {
  if (backend.gpu) return {};
  for (const OpOutcome& outcome : outcomes)
    for (const harness::Record& r : outcome.records)
      if (r.status == harness::Status::passed)
        if (const std::string own = own_words(o, r); !own.empty()) {
          if (o.sanitize) {
            return fmt::format("./warpath xray {} shows line by line what it does to memory", own);
          }
          if (o.cases.empty() && passed_one_element_only(outcome, r.name))
            return fmt::format(
                "one element proves little, and {0} takes no larger case: let it take more of the "
                "sizes of {1}, by its parameters or by a comment: docs/your-kernel.md",
                r.name, r.op);
          return fmt::format(
              "./warpath check {} --sanitize finds what right results do not show: a race, an "
              "unwritten read, a barrier that some threads skip",
              own);
        }
  return {};
}

// A launch that no GPU takes: watching the accesses of a kernel that does not run is of no use.
bool is_refused_launch(const harness::Record& r) {
  return r.reason.starts_with("cudaErrorInvalidValue: invalid argument: ") ||
         r.reason.starts_with("cudaErrorInvalidConfiguration: ");
}

bool speaks_of_barriers(const std::filesystem::path& lesson) {
  std::ifstream in(lesson);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  return text.find("barrier") != text.npos || text.find("__syncthreads") != text.npos;
}

// What helps with the first failure; empty: nothing failed, or the reason itself says it.
std::string next_step(const Options& o, const Backend& backend, const LearnerKernels& learner,
                      const std::vector<OpOutcome>& outcomes) {
  const auto failed = std::find_if_not(outcomes.begin(), outcomes.end(), passed_or_skipped);
  if (failed == outcomes.end()) return passed_step(o, backend, outcomes);
  const OpEntry& entry = *failed->entry;
  if (o.sanitize) {
    for (const harness::Record& r : failed->records)
      for (const auto& f : r.findings)
        if (f.value("kind", "") == "race") {
          const auto lesson =
              harness::find_places().root / "ops" / entry.family / entry.folder / "README.md";
          if (speaks_of_barriers(lesson))
            return near_path(lesson) + ": the lesson says which barriers its rungs need, and why";
        }
    for (const harness::Record& r : failed->records)
      if (const PlainKernel* plain = own_file(o, r).empty() ? nullptr : learner.plain(r.name))
        if (const std::string zeros = let_it_begin_with_zeros(r, *plain); !zeros.empty())
          return zeros;
    return {};
  }
  if (backend.gpu) return {};
  for (const harness::Record& r : failed->records) {
    if (r.status != harness::Status::failed) continue;
    const std::string own = own_file(o, r);
    if (const PlainKernel* plain = own.empty() ? nullptr : learner.plain(r.name)) {
      if (const std::string zeros = let_it_begin_with_zeros(r, *plain); !zeros.empty())
        return zeros;
      if (const std::string launch = choose_a_launch(r, *plain); !launch.empty()) return launch;
    }
    if (r.reason.starts_with("no answer")) continue;
    if (is_refused_launch(r))  // no kernel ran that could be watched
      return own.empty() || registers_rung(own) ? std::string()
                                                : "another launch: --grid, --block and --shared, "
                                                  "or <<<…>>> in the comment above the "
                                                  "kernel: docs/your-kernel.md";
    const std::string what = own.empty() ? r.op + " --rung " + r.name : own_words(o, r);
    return fmt::format(
        "./warpath check {} --sanitize --case '{}' watches every access: it names the "
        "line of an access out of bounds, a race, an unwritten read",
        what, r.test);
  }
  return {};
}

// In place of all cases a small version of the timed one that is named.
void take_smaller(std::vector<OpEntry>& ops, const Options& o, std::deque<Op>& kept) {
  for (OpEntry& e : ops) {
    e.attempts.clear();
    for (const Case& c : e.op->cases) {
      if (!c.bench || c.name != o.smaller) continue;
      for (const DType d : harness::dtypes_of(*e.op, c)) {
        if (!o.dtypes.empty() && name(d) != o.dtypes.front()) continue;
        if (const auto made = smaller_if_asked(*e.op, c, d)) {
          kept.push_back(*e.op);
          kept.back().cases = {*made};
          e.op = &kept.back();
          e.attempts = {{0, d}};
          break;
        }
      }
      break;
    }
  }
}

int check(const Options& o) {
  const harness::Places places = harness::find_places();
  if (!o.fork) harness::Worker::stay_in_this_process();
  if (o.sanitize && o.backend == "cuda")
    throw Refusal(
        "--sanitize watches kernels on this CPU (--backend simt); on a GPU: compute-sanitizer "
        "build/bin/warpath check OP --no-fork");
  const Backend backend = choose_backend(places, o.sanitize ? "simt" : o.backend);
  const std::string libraries = o.sanitize ? "checked" : backend.name;
  std::vector<std::string> names, files;
  for (const std::string& word : o.names) (is_kernel_file(word) ? files : names).push_back(word);
  if (o.wrong && !files.empty())
    throw Refusal("--wrong is about the shipped wrong kernels; give it no files");

  const LearnerKernels own(places, backend, o.sanitize, files,
                           {names, o.kernel, {o.grid, o.block, o.shared}});
  if (own.matches().empty() && !(o.kernel + o.grid + o.block + o.shared).empty())
    throw Refusal(
        "--kernel, --grid, --block and --shared are for a plain kernel; a rung has its own "
        "launcher");
  std::vector<OpEntry> ops = ops_to_check(o, places, libraries, own, names, files);
  if (!o.peers)
    for (OpEntry& e : ops) std::erase_if(e.contestants, [](const auto& c) { return c.rung->peer; });
  if (!o.op.empty()) std::erase_if(ops, [&](const OpEntry& e) { return e.name() != o.op; });
  if (!o.source.empty())
    for (OpEntry& e : ops)
      std::erase_if(e.contestants, [&](const auto& c) { return c.rung->file != o.source; });
  if (o.wrong &&
      std::all_of(ops.begin(), ops.end(), [](const OpEntry& e) { return e.contestants.empty(); }))
    throw Refusal(fmt::format("no wrong kernels are built for {}", backend.name));
  // For the checks the shipped rungs are compiled in one 16-bit type: both types take the same path
  // through a kernel.
  std::vector<DType> without;
  const bool shipped = files.empty() || o.ladder || !o.rungs.empty();
  if (o.sanitize && shipped) without = {DType::f16};
  for (const std::string& d : o.dtypes)
    if (!without.empty() && parse_dtype(d) == DType::f16)
      throw Refusal(
          "the checks run the shipped rungs in bf16 for both 16-bit types; a file of your own runs "
          "in all");
  // The bench cases take gigabytes, and `bench` checks them before it times them. Here they run
  // only on a GPU, and only by name.
  narrow_cases(ops, o, backend.gpu && !o.wrong && !o.cases.empty() ? Cases::all : Cases::small,
               without);
  static std::deque<Op> small;  // the harness keeps pointers to them
  if (!o.smaller.empty()) take_smaller(ops, o, small);
  const int left_out = o.sanitize && o.cases.empty() ? leave_out_large(ops) : 0;
  if (o.brief) keep_one_type(ops);
  for (const OpEntry& e : ops)
    if (e.attempts.empty() && !files.empty())
      throw Refusal(fmt::format("{} was not run: no case and type of {} fit together",
                                fmt::join(files, " "), e.name()));
  std::erase_if(ops, [](const OpEntry& e) { return e.contestants.empty() || e.attempts.empty(); });
  if (ops.empty()) throw Refusal("nothing to check: no rung, case and type fit together");

  const harness::Settings settings = make_settings(places, backend, o);
  if (!o.json) {
    print_backend(backend, settings);
    for (const std::string& match : own.matches()) fmt::print("{}\n", paint(Tone::dim, match));
  }
  std::vector<OpOutcome> outcomes = run_with_progress(ops, settings);
  without_registration(own, outcomes);
  const bool simple = o.fork && (o.kernel + o.grid + o.block + o.shared).empty();
  if (o.writer && !files.empty() && !o.sanitize && !backend.gpu && simple)
    name_writer(places, files, std::to_string(o.seed), outcomes);
  if (o.wrong) return (o.sanitize ? report_wrong_sanitized : report_wrong)(o, backend, outcomes);
  const std::string not_run = files_not_run(outcomes), next = next_step(o, backend, own, outcomes);
  const auto details = [&](const OpOutcome& outcome) {
    return o.sanitize ? sanitized_json(outcome) : outcome_json(outcome, {});
  };
  if (o.json) {
    nlohmann::ordered_json j = backend_json(backend);
    j["seed"] = settings.seed;
    j["passed"] = exit_status(outcomes) == all_passed && not_run.empty();
    if (!next.empty()) j["next"] = next;
    if (o.sanitize) j["left_out"] = left_out;
    if (!own.matches().empty()) j["matched"] = own.matches();
    for (const OpOutcome& outcome : outcomes) j["ops"].push_back(details(outcome));
    print_json(j);
  } else {
    for (const OpOutcome& outcome : outcomes)
      (o.sanitize ? print_sanitized : print_checks)(outcome, o.verbose);
    print_closing(outcomes);
    if (left_out > 0)
      fmt::print(
          "left out: {} cases with more than {} KiB or {:.0f} million operations; --case NAME "
          "takes "
          "one of them\n",
          left_out, sanitize_limit >> 10, sanitize_flops / 1e6);
    if (!next.empty()) fmt::print("{} {}\n", paint(Tone::note, "next:"), next);
  }
  if (!not_run.empty()) throw Refusal(not_run);
  return exit_status(outcomes);
}

}  // namespace

const Command check_command = {
    "check",
    "correctness only, every case",
    check_examples,
    [](Flags& flags, Options& o) {
      flags.names(o.names, "ops, families, 'all', or .cu files of your own", true);
      add_selection_flags(flags, o);
      flags.yes("--wrong", o.wrong, "check the wrong kernels: 0 only if each one is rejected");
      flags.yes("--sanitize", o.sanitize,
                "under the checks for memory, races, unwritten reads and barriers (CPU)");
      flags.yes("--ladder", o.ladder, "with a file of your own: the shipped rungs beside it");
      flags.text("--smaller", o.smaller, "C",
                 "a timed case with its sizes halved until it is small, in place of the others");
      flags.count("--launches", o.launches,
                  "launches per case (default: 2; 3 on a GPU; 1 under the checks)");
      flags.text("--source", o.source, "FILE",
                 "of a library with several rungs: the one that this file registers");
      flags.text("--op", o.op, "OP", "of a file with rungs of several ops: those of this one");
      flags.yes("--brief", o.brief, "each case in one type, another from case to case");
      flags.yes("--writer,!--no-writer", o.writer,
                "of a wrong element of your own file, say which thread wrote it (a second run)");
      flags.text("--kernel", o.kernel, "K", "of several plain kernels in a file, this one");
      flags.text(
          "--grid", o.grid, "G",
          "blocks of a plain kernel: 8, 4,4, or by sizes of the op: rows; default: one thread "
          "per element");
      flags.text("--block", o.block, "B",
                 "threads per block of a plain kernel: 16,16 (default 256)");
      flags.text("--shared", o.shared, "S", "bytes of dynamic shared memory of a plain kernel");
      flags.yes("--peers,!--no-peers", o.peers, "check the vendor's kernels too (GPU)");
      flags.yes("-v,--verbose", o.verbose, "every failure with all it printed");
      add_running_flags(flags, o);
      add_json_flag(flags, o);
    },
    check,
    [](const Options& o) { must_be_there(o.names); }};

}  // namespace warpath::cli
