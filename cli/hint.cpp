// warpath hint: one more hint each time, from a nudge to nearly the answer.
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/done_days.h"
#include "cli/exercise.h"
#include "cli/terminal.h"

namespace warpath::cli {
namespace {

constexpr const char* hint_examples = R"(
Examples:
  ./warpath hint softmax/02        the next hint for it
  ./warpath hint                   for the exercise you worked on last
  ./warpath hint softmax/02 --all  all of them

How many you have seen is in my/progress.json.)";

int hint(const Options& o) {
  const Exercise exercise = named_exercise(harness::find_places(), o.names);
  const std::vector<std::string> hints = hints_of(exercise);
  if (hints.empty())
    throw Refusal(fmt::format("{} has no hints yet; its lesson is {}", exercise.name(),
                              (exercise.folder.path / "README.md").string()));
  DoneDays progress = DoneDays::load();
  const std::size_t seen = std::min(std::size_t(progress.hints(exercise.name())), hints.size());
  const std::size_t shown = o.all_hints ? hints.size() : std::min(seen + 1, hints.size());
  fmt::print("{}, hint {} of {}\n", paint(Tone::strong, exercise.name()), shown, hints.size());
  for (std::size_t i = 0; i < shown; ++i)
    fmt::print("  {}. {}\n", i + 1,
               i + 1 < shown && !o.all_hints ? paint(Tone::dim, hints[i]) : hints[i]);
  if (shown == hints.size())
    fmt::print("no more hints: {} shows ours\n",
               paint(Tone::note, "./warpath solution " + exercise.name()));
  progress.set_hints(exercise.name(), int(shown));
  progress.save();
  return all_passed;
}

}  // namespace

const Command hint_command = {"hint", "a hint for an exercise; again, a clearer one", hint_examples,
                              [](Flags& flags, Options& o) {
                                flags.names(o.names, "a day, a rung, or nothing: the last one",
                                            false);
                                flags.yes("--all", o.all_hints, "every hint at once");
                              },
                              hint};

}  // namespace warpath::cli
