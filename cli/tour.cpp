// warpath without arguments: what this machine has, one ladder checked, three things to try.
#include <fmt/format.h>

#include <algorithm>

#include "cli/lesson_order.h"
#include "cli/report.h"
#include "cli/terminal.h"

namespace warpath::cli {
namespace {

// A first look must not take a minute: a few cases in one type.
constexpr std::size_t tour_cases = 6;

// The first lesson that is built.
NamedFolder tour_folder(const harness::Places& places, const std::string& backend) {
  const auto built = harness::built_folders(places, backend);
  for (const harness::OpFolder& f : lesson_order(places.root))
    if (std::find(built.begin(), built.end(), f.name) != built.end())
      return {f.family, f.name, f.name};
  if (built.empty())
    throw Refusal("no op is built yet; ./warpath run softmax builds and runs the first one");
  return {"", built.front(), ""};
}

}  // namespace

int tour(const Options& o) {
  const harness::Places places = harness::find_places();
  const Backend backend = choose_backend(places, o.backend);
  const NamedFolder named = tour_folder(places, backend.name);
  const std::string& folder = named.folder;
  std::vector<OpEntry> ops = open_ops(places, named, backend.name, RungSet::ladder);
  ops.resize(std::min<std::size_t>(ops.size(), 1), OpEntry{});
  narrow(ops, o, Cases::small);
  if (ops.empty()) throw Refusal(fmt::format("op '{}' has no rung to show", folder));
  auto& attempts = ops.front().attempts;
  const DType first = attempts.front().dtype;
  std::erase_if(attempts, [&](const harness::Attempt& a) { return a.dtype != first; });
  attempts.resize(std::min(attempts.size(), tour_cases));

  const harness::Settings settings = make_settings(places, backend, o);
  const std::vector<OpOutcome> outcomes = run_with_progress(ops, settings);
  const std::string own =
      std::filesystem::path(ops.front().contestants.front().rung->file).filename().string();
  const std::vector<std::pair<std::string, std::string>> tries = {
      {fmt::format("./warpath run {}", folder),
       backend.gpu ? "every case, then times against the roofline"
                   : "every case and type of this ladder, and what each rung does to memory"},
      {fmt::format("./warpath ops {}", folder), "what the op promises and what each rung changes"},
      {fmt::format("cp ops/{2}/{0}/{1} mine.cu && ./warpath check {0} mine.cu", folder, own,
                   named.family),
       "your own kernel on the same cases"}};

  const std::vector<std::pair<std::string, std::string>> course = {
      {"./warpath days", "five tracks of 30 to 100 days, each day with a task that can be checked"},
      {"./warpath day A1", "the first page: an idea, a task, the commands"}};

  if (o.json) {
    nlohmann::ordered_json j = backend_json(backend);
    j["ops"].push_back(outcome_json(outcomes.front(), {}));
    for (const auto& [command, why] : tries)
      j["try"].push_back({{"command", command}, {"why", why}});
    for (const auto& [command, why] : course)
      j["course"].push_back({{"command", command}, {"why", why}});
    print_json(j);
    return exit_status(outcomes);
  }
  fmt::print(
      "Warpath: each operation climbs a ladder of kernels, each rung checked against float64.\n\n");
  const auto& info = backend.probe.info;
  if (backend.gpu)
    fmt::print("This machine has a GPU: {}, {} SMs. Kernels run on it.\n", info.name, info.sms);
  else
    fmt::print(
        "No GPU answers here, so the same .cu files run on this CPU. There are no times, but every "
        "check.\n");
  print_checks(outcomes.front(), false);
  fmt::print("\nTry next:\n");
  for (const auto& [command, why] : tries)
    fmt::print("  {}\n      {}\n", paint(Tone::note, command), why);
  fmt::print("\nLearn it day by day:\n");
  for (const auto& [command, why] : course)
    fmt::print("  {}\n      {}\n", paint(Tone::note, command), why);
  return exit_status(outcomes);
}

}  // namespace warpath::cli
