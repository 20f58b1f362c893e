// warpath check: correctness only, every case.
#include <fmt/format.h>

#include <algorithm>

#include "cli/command.h"
#include "cli/learner.h"
#include "cli/report.h"
#include "cli/sanitize.h"
#include "cli/terminal.h"
#include "harness/worker.h"

namespace warpath::cli {
namespace {

constexpr const char* check_examples = R"(
Examples:
  ./warpath check all                          every rung of every op
  ./warpath check softmax --dtype bf16         one op in one type
  ./warpath check softmax --rung 03 --case prime
  ./warpath check softmax mine.cu              your own kernel beside the shipped ones
  ./warpath check mine.cu                      your own kernel alone
  ./warpath check softmax mine.cu --grid rows --block 128     a plain kernel: one block per row
  ./warpath check all --wrong                  kernels that look right; each must be rejected
  ./warpath check softmax --sanitize           every access watched: memory, races, unwritten reads, barriers

Your own file may hold a rung, or just a kernel, matched with the op by the names and the order of its
parameters: docs/your-kernel.md.
A rung runs in a process of its own: one that crashes or hangs is reported as failed, and the rest goes on.
Exit status: 0 all passed, 1 a check failed, 2 the command was wrong or a part is missing.)";

// Each wrong kernel has to fail in at least one case; the first reason is shown. On a GPU a race
// may pass by luck, which is not an error here; the CPU backend's order of threads brings it out.
int report_wrong(const Options& o, const Backend& backend, const std::vector<OpOutcome>& outcomes) {
  int accepted = 0, rejected = 0, lucky = 0;
  nlohmann::ordered_json j = backend_json(backend);
  j["wrong"] = nlohmann::ordered_json::array();
  for (const OpOutcome& outcome : outcomes) {
    if (!o.json) fmt::print("\n{}  wrong kernels\n", paint(Tone::strong, outcome.entry->name()));
    for (const Summary& s : summarise(outcome.records)) {
      const bool caught = !s.failures.empty();
      const bool luck = !caught && backend.gpu && is_race(outcome, s.name);
      (caught ? rejected : luck ? lucky : accepted) += 1;
      const std::string why =
          caught ? fmt::format("{} {}: {}", s.failures[0]->test, name(s.failures[0]->dtype),
                               s.failures[0]->reason)
          : luck ? "a race that did not show; compute-sanitizer --tool racecheck sees it"
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
                                 lucky ? fmt::format(", {} races passed by luck", lucky) : "")));
  return accepted ? check_failed : all_passed;
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
  const bool alone = names.empty();
  std::vector<OpEntry> ops = alone ? own.ops_alone(places)
                                   : find_ops(places, names, libraries,
                                              o.wrong ? RungSet::wrong : RungSet::ladder_and_peers);
  if (!alone) own.join(ops);
  if (!o.peers)
    for (OpEntry& e : ops) std::erase_if(e.contestants, [](const auto& c) { return c.rung->peer; });
  if (o.wrong &&
      std::all_of(ops.begin(), ops.end(), [](const OpEntry& e) { return e.contestants.empty(); }))
    throw Refusal(fmt::format("no wrong kernels are built for {}", backend.name));
  // For the checks the shipped rungs are compiled in one 16-bit type: both types take the same path
  // through a kernel.
  std::vector<DType> without;
  if (o.sanitize && !alone) without = {DType::f16};
  for (const std::string& d : o.dtypes)
    if (!without.empty() && parse_dtype(d) == DType::f16)
      throw Refusal("the checks run bf16 for both 16-bit types; check mine.cu --sanitize runs all");
  // The bench cases take gigabytes, and `bench` checks them before it times them. Here they run
  // only on a GPU, and only by name.
  narrow(ops, o, backend.gpu && !o.wrong && !o.cases.empty() ? Cases::all : Cases::small, without);
  const int left_out = o.sanitize && o.cases.empty() ? leave_out_large(ops) : 0;
  if (o.brief) keep_one_type(ops);
  if (ops.empty()) throw Refusal("nothing to check: no rung, case and type fit together");

  const harness::Settings settings = make_settings(places, backend, o);
  if (!o.json) {
    print_backend(backend, settings);
    for (const std::string& match : own.matches()) fmt::print("{}\n", paint(Tone::dim, match));
  }
  const std::vector<OpOutcome> outcomes = run_with_progress(ops, settings);
  if (o.wrong) return (o.sanitize ? report_wrong_sanitized : report_wrong)(o, backend, outcomes);
  const auto details = [&](const OpOutcome& outcome) {
    return o.sanitize ? sanitized_json(outcome) : outcome_json(outcome, {});
  };
  if (o.json) {
    nlohmann::ordered_json j = backend_json(backend);
    j["seed"] = settings.seed;
    j["passed"] = exit_status(outcomes) == all_passed;
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
  }
  if (const std::string idle = own.not_run(outcomes); !idle.empty())
    throw Refusal(fmt::format("{} was not run: none of these cases fits it", idle));
  return exit_status(outcomes);
}

}  // namespace

const Command check_command = {
    "check", "correctness only, every case", check_examples,
    [](Flags& flags, Options& o) {
      flags.names(o.names, "ops, families, 'all', or .cu files of your own", true);
      add_selection_flags(flags, o);
      flags.yes("--wrong", o.wrong, "check the wrong kernels: 0 only if each one is rejected");
      flags.yes("--sanitize", o.sanitize,
                "under the checks for memory, races, unwritten reads and barriers (CPU)");
      flags.yes("--brief", o.brief, "each case in one type, another from case to case");
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
    check};

}  // namespace warpath::cli
