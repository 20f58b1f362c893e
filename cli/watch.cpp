// warpath watch: compiles and checks a learner's file at each save, and says one thing at a time.
#include <fmt/format.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "cli/check_process.h"
#include "cli/command.h"
#include "cli/exercise.h"
#include "cli/report.h"
#include "cli/terminal.h"
#include "cli/twin_process.h"
#include "cli/xray_summary.h"

namespace fs = std::filesystem;

namespace warpath::cli {
namespace {

constexpr const char* watch_examples = R"(
Examples:
  ./warpath watch                     the exercise you worked on last
  ./warpath watch softmax/02          my/softmax/02_shared.cu
  ./warpath watch softmax/02 --once   one verdict, then the end
  ./warpath watch softmax.py          my/softmax/softmax.py, in Triton; softmax.wgsl: for WebGPU

At each save the first thing that is wrong is said: it does not compile, it is wrong at this element, it races or
touches memory that is not its own. Ctrl-C ends it.)";

struct Verdict {
  bool good = false;
  std::string text;
  CheckCounts counts{};  // of the failed case who wrote its element is asked when the rest is said
};

// The cheap questions first: each case in one type, then the checks, then every type.
Verdict judge(const harness::Places& places, const fs::path& file, const CaseLimit& limit) {
  // Two cases that do not end are the most that a check waits for.
  const double seconds = std::max(120.0, 8 * limit.seconds);
  const std::string path = file.string();
  const CheckAnswer quick = run_check(places, seconds, limit.on({path, "--brief", "--no-writer"}));
  if (!quick.there()) return {false, quick.trouble};
  if (const CheckCounts counts = count_cases(quick.json); !counts.first_trouble.empty())
    return {false, "wrong: " + counts.first_trouble, counts};
  const CheckAnswer checked = run_check(places, seconds, limit.on({path, "--sanitize", "--brief"}));
  if (!checked.there()) return {false, checked.trouble};
  if (const std::string trouble = count_cases(checked.json).first_trouble; !trouble.empty())
    return {false, "right, but not safe: " + trouble, count_cases(quick.json)};
  const CheckAnswer whole = run_check(places, seconds, limit.on({path, "--no-writer"}));
  if (!whole.there()) return {false, whole.trouble};
  const CheckCounts counts = count_cases(whole.json);
  if (!counts.first_trouble.empty()) return {false, "wrong: " + counts.first_trouble, counts};
  return {true, fmt::format("right on all {} cases, and clean under the checks", counts.passed),
          counts};
}

// In one process: Python takes a second or two to begin.
Verdict judge_twin(const harness::Places& places, const Exercise& exercise, const fs::path& file,
                   double seconds) {
  const CheckAnswer answer = run_twin(places, exercise, file, seconds, {"--first"});
  if (!answer.there()) return {false, answer.trouble};
  if (const auto refused = twin_refused(answer.json); !refused.empty())
    return {false, "no solution: " + refused.front()};
  const TwinPart clean = twin_part(answer.json, "clean");
  if (!clean.trouble.empty()) return {false, "not safe: " + clean.trouble};
  for (const char* part : {"right", "fresh"})
    if (const TwinPart p = twin_part(answer.json, part); !p.trouble.empty())
      return {false, "wrong: " + p.trouble};
  return {true, fmt::format("right on all {} cases{}", twin_part(answer.json, "right").passed,
                            clean.there ? ", and stays in its tensors" : "")};
}

// Waits until the file is written again. Editors write a new file and rename it, so the folder is watched.
void wait_for_save(const fs::path& file) {
  const int queue = inotify_init1(IN_CLOEXEC);
  if (queue < 0 ||
      inotify_add_watch(queue, file.parent_path().c_str(), IN_CLOSE_WRITE | IN_MOVED_TO) < 0)
    throw Refusal(fmt::format("cannot watch {}", file.parent_path().string()));
  alignas(inotify_event) char events[4096];
  for (bool saved = false; !saved;) {
    const ssize_t length = read(queue, events, sizeof events);
    for (ssize_t at = 0; at < length;) {
      const auto* event = reinterpret_cast<const inotify_event*>(events + at);
      saved |= event->len > 0 && file.filename() == event->name;
      at += ssize_t(sizeof(inotify_event) + event->len);
    }
  }
  close(queue);
}

int watch(const Options& o) {
  const harness::Places places = harness::find_places();
  const Exercise exercise = named_exercise(places, o.names);
  const fs::path file = exercise.mine();
  if (!fs::exists(file))
    throw Refusal(
        fmt::format("no file {}; ./warpath start {} makes one", file.string(), exercise.name()));
  while (true) {
    const auto begin = std::chrono::steady_clock::now();
    Progress progress;
    progress.show("checking " + file.string());
    const Verdict verdict =
        exercise.is_twin() ? judge_twin(places, exercise, file, o.timeout.value_or(300))
                           : judge(places, file, CaseLimit{o.timeout.value_or(CaseLimit::usual)});
    progress.clear();
    const double took =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    fmt::print("{} {}\n  {}\n", paint(Tone::strong, exercise.name()),
               paint(Tone::dim, fmt::format("({:.1f} s)", took)),
               paint(verdict.good ? Tone::good : Tone::bad,
                     CaseLimit::explained(verdict.text, "--timeout")));
    std::fflush(stdout);
    if (!verdict.counts.printed.empty()) {
      fmt::print("  printed on {}:\n", verdict.counts.printed_in);
      print_indented(verdict.counts.printed, 8, "./warpath check " + file.string() + " -v");
    }
    if (!verdict.counts.failed_case.empty()) {
      const CheckCounts& w = verdict.counts;
      const std::string writer = find_writer(places, w.op, file.string(), w.failed_case,
                                             w.failed_type, "0", w.first_trouble);
      if (!writer.empty()) fmt::print("  {}\n", writer);
    }
    if (verdict.good && !exercise.is_twin())
      if (const std::string slow = slow_here(places, file, 60); !slow.empty())
        fmt::print("  slow here: {}\n", slow);
    if (verdict.good)
      fmt::print("  next: {}\n", paint(Tone::note, "./warpath grade " + exercise.handle()));
    std::fflush(stdout);
    if (o.once) return verdict.good ? all_passed : check_failed;
    wait_for_save(file);
  }
}

}  // namespace

const Command watch_command = {
    "watch", "checks your kernel at each save", watch_examples,
    [](Flags& flags, Options& o) {
      flags.names(o.names, "a day, a rung, or nothing: the last one", false);
      flags.seconds(
          "--timeout", o.timeout,
          fmt::format("seconds the kernel may take on one case (default {:g}, three times that "
                      "under the checks); in Python or WGSL on all together (300)",
                      CaseLimit::usual));
      flags.yes("--once", o.once, "one verdict, then the end");
    },
    watch};

}  // namespace warpath::cli
