#include "cli/xray_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>
#include <thread>

#include "cli/check_process.h"
#include "cli/ladder_files.h"
#include "cli/op_names.h"
#include "cli/source_text.h"
#include "cli/terminal.h"
#include "harness/process.h"

namespace fs = std::filesystem;
using nlohmann::json;
using nlohmann::ordered_json;

namespace warpath::cli {
namespace {

struct Key {
  const char *name, *metric;
  double (*of)(const Xray&);
};

double over(const Xray& x, bool (*which)(const XrayAccess&), double XrayAccess::*what) {
  double total = 0;
  for (const XrayLaunch& l : x.launches) total += l.sum(which, what);
  return total;
}
bool global_load(const XrayAccess& a) {
  return a.space == "global" && a.loads() && !a.bulk();
}
bool global_store(const XrayAccess& a) {
  return a.space == "global" && a.stores() && !a.bulk();
}
bool global_atomic(const XrayAccess& a) {
  return a.space == "global" && a.atomic();
}
bool shared_load(const XrayAccess& a) {
  return a.shared() && a.loads();
}
bool shared_store(const XrayAccess& a) {
  return a.shared() && a.stores();
}
bool constant(const XrayAccess& a) {
  return a.constant();
}
bool local_load(const XrayAccess& a) {
  return a.local() && a.loads();
}
bool local_store(const XrayAccess& a) {
  return a.local() && a.stores();
}
bool any_bulk(const XrayAccess& a) {
  return a.bulk();
}

const Key keys[] = {
    {"global load requests", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
     [](const Xray& x) { return over(x, global_load, &XrayAccess::requests); }},
    {"global load sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
     [](const Xray& x) { return over(x, global_load, &XrayAccess::sectors); }},
    {"  at least", "",
     [](const Xray& x) { return over(x, global_load, &XrayAccess::least_sectors); }},
    {"  different ones", "",
     [](const Xray& x) { return over(x, global_load, &XrayAccess::first_touches); }},
    {"global store requests", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
     [](const Xray& x) { return over(x, global_store, &XrayAccess::requests); }},
    {"global store sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
     [](const Xray& x) { return over(x, global_store, &XrayAccess::sectors); }},
    {"  at least", "",
     [](const Xray& x) { return over(x, global_store, &XrayAccess::least_sectors); }},
    {"global atomic requests", "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum + op_atom",
     [](const Xray& x) { return over(x, global_atomic, &XrayAccess::requests); }},
    {"shared load wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
     [](const Xray& x) { return over(x, shared_load, &XrayAccess::wavefronts); }},
    {"  without conflicts", "",
     [](const Xray& x) { return over(x, shared_load, &XrayAccess::least_wavefronts); }},
    {"shared store wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
     [](const Xray& x) { return over(x, shared_store, &XrayAccess::wavefronts); }},
    {"  without conflicts", "",
     [](const Xray& x) { return over(x, shared_store, &XrayAccess::least_wavefronts); }},
    {"local load sectors", "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
     [](const Xray& x) { return over(x, local_load, &XrayAccess::sectors); }},
    {"local store sectors", "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
     [](const Xray& x) { return over(x, local_store, &XrayAccess::sectors); }},
    {"constant requests", "",
     [](const Xray& x) { return over(x, constant, &XrayAccess::requests); }},
    {"  addresses", "", [](const Xray& x) { return over(x, constant, &XrayAccess::addresses); }},
    {"sectors of bulk copies", "",
     [](const Xray& x) { return over(x, any_bulk, &XrayAccess::sectors); }},
    {"barriers", "",
     [](const Xray& x) {
       double n = 0;
       for (const XrayLaunch& l : x.launches) n += l.barriers;
       return n;
     }},
    {"active lanes", "smsp__thread_inst_executed_per_inst_executed.ratio",
     [](const Xray& x) {
       double times = 0, lanes = 0;
       for (const XrayLaunch& l : x.launches)
         for (const XrayCode& c : l.code) {
           times += c.times;
           lanes += c.lanes;
         }
       return times > 0 ? lanes / times : 0;
     }},
};

// The data of `warpath xray` in a process of its own; "error" where it could not be counted.
json xray_json(const harness::Places& places, const std::vector<std::string>& words,
               double seconds) {
  if (seconds <= 0.1) return {{"error", "it takes too long"}, {"left_out", true}};
  std::vector<std::string> command = {"timeout", fmt::format("{:.1f}", seconds),
                                      places.program.string(), "xray"};
  command.insert(command.end(), words.begin(), words.end());
  for (const char* word : {"--json", "--no-registers", "--blocks", "64"})
    command.emplace_back(word);
  const harness::CommandResult result = harness::run_command(command);
  json j = json::parse(result.output, nullptr, false);
  if (result.status == 0 && !j.is_discarded()) return j;
  if (result.status == 124) return {{"error", "it takes too long"}, {"left_out", true}};
  return {{"error", first_error(result.output)}};
}

// The largest waste, if it is a large share of what the kernel does.
std::string large_waste(const json& j) {
  constexpr double large = 0.3;
  for (const json& w : j.value("waste", json::array()))
    if (w.at("share").get<double>() >= large) return w.at("sentence");
  return "";
}

}  // namespace

KeyCounts key_counts(const Xray& x) {
  KeyCounts k;
  k.least = x.least_bytes;
  double requests = 0, sectors = 0, least = 0;
  for (const XrayLaunch& l : x.launches) {
    const double all = l.all();
    k.moved += all * l.bytes_moved();
    for (const XrayAccess& a : l.accesses) {
      if (a.shared()) {
        k.wavefronts += all * a.wavefronts;
        k.conflicts += all * (a.wavefronts - a.least_wavefronts);
      } else if (a.space == "global" && !a.bulk()) {
        requests += all * a.requests;
        sectors += all * a.sectors;
        least += all * a.least_sectors;
      }
    }
    k.barriers += l.launches * (l.blocks_counted > 0 ? l.barriers / l.blocks_counted : 0);
  }
  if (requests > 0) {
    k.sectors_per_request = sectors / requests;
    k.least_sectors_per_request = least / requests;
  }
  return k;
}

ordered_json to_json(const KeyCounts& k) {
  return {{"bytes_moved", k.moved},
          {"bytes_least", k.least},
          {"sectors_per_request", k.sectors_per_request},
          {"least_sectors_per_request", k.least_sectors_per_request},
          {"wavefronts", k.wavefronts},
          {"bank_conflicts", k.conflicts},
          {"barriers", k.barriers}};
}

ordered_json totals_json(const Xray& x) {
  ordered_json j;
  std::string above;  // what an indented one is of
  for (const Key& k : keys) {
    const std::string name = k.name, metric = k.metric;
    const bool is_part = name.starts_with("  ");
    if (!is_part) above = name;
    j[!metric.empty() ? metric : is_part ? above + ", " + name.substr(2) : name] = k.of(x);
  }
  return j;
}

std::string next_rung(const Xray& x) {
  const fs::path next = next_on_ladder(harness::find_places().root, x.file);
  return next.empty()
             ? ""
             : fmt::format("The next rung, {}: {}", rung_name(next.string()), head_line(next));
}

void print_sentences(const Xray& x) {
  const fs::path root = harness::find_places().root;
  if (const std::string left = what_is_left(x.all_waste); !left.empty())
    fmt::print("  {} {}\n", left,
               paint(Tone::dim, fmt::format("[latency: {}]", near_path(root / "docs/xray.md"))));
  for (std::size_t i = 0; i < std::min<std::size_t>(3, x.waste.size()); ++i) {
    const XrayWaste& w = x.waste[i];
    fmt::print("  {}. {}{} {}\n", i + 1, w.sentence,
               w.bytes > 0 ? fmt::format(" ({} in vain)", short_bytes(w.bytes)) : "",
               paint(Tone::dim, fmt::format("[{}: {}]", w.kind, near_path(root / w.page()))));
  }
  if (const std::string next = next_rung(x); !next.empty())
    fmt::print(
        "  {} {}\n", next,
        paint(Tone::dim, fmt::format("[{}]", near_path(x.file.parent_path() / "README.md"))));
}

void print_totals(const Xray& x) {
  Table table({"in all", "", "Nsight Compute's name"}, "lrl");
  for (const Key& k : keys)
    if (const double n = k.of(x); n != 0)
      table.add({{k.name}, {short_count(n)}, {k.metric, Tone::dim}});
  fmt::print("\n");
  table.print();
}

void print_comparison(const Xray& a, const Xray& b) {
  fmt::print("{} and {}, {}\n\n", paint(Tone::strong, a.title), paint(Tone::strong, b.title),
             a.test);
  Table table({"", a.title, b.title, "", "Nsight Compute's name"}, "lrrrl");
  for (const Key& k : keys) {
    const double before = k.of(a), after = k.of(b);
    if (before == 0 && after == 0) continue;
    const std::string change = before > 0 && after > 0 && before != after
                                   ? fmt::format("{:.2g}x", after / before)
                               : before == after ? "="
                                                 : "";
    table.add({{k.name},
               {short_count(before)},
               {short_count(after)},
               {change, Tone::dim},
               {k.metric, Tone::dim}});
  }
  table.print();
  for (const Xray* x : {&a, &b}) {
    fmt::print("\n{}\n", paint(Tone::strong, x->title));
    print_sentences(*x);
  }
}

KeptCounts::KeptCounts(const harness::Places& places) : sources_(places.root) {
  const fs::path file = places.root / "cli/counts.json";
  if (fs::exists(file)) all_ = json::parse(read_text(file), nullptr, false);
}

json KeptCounts::of(const std::string& op, const harness::Contestant& rung) {
  if (!all_.is_object() || !all_.contains(op) || !all_[op].contains(rung.name)) return nullptr;
  const json& found = all_[op][rung.name];
  const std::string source = sources_.of(rung.rung->file);
  return !source.empty() && found.value("source", "") == source ? found : json(nullptr);
}

ordered_json count_rungs(const harness::Places& places, const harness::OpEntry& entry,
                         KeptCounts* kept, double seconds) {
  const auto start = std::chrono::steady_clock::now();
  const auto left = [&] {
    return seconds -
           std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  SourceDigests sources(places.root);
  std::vector<const harness::Contestant*> rungs;
  ordered_json counts;
  for (const harness::Contestant& c : entry.contestants) {
    if (c.rung->peer) continue;
    counts[c.name] = nullptr;  // in the order of the ladder
    if (const json known = kept != nullptr ? kept->of(entry.name(), c) : json(); !known.is_null()) {
      counts[c.name] = known;
      counts[c.name]["kept"] = true;
    } else {
      rungs.push_back(&c);
    }
  }
  std::vector<json> found(rungs.size());
  std::atomic<std::size_t> next = 0;
  {
    std::vector<std::jthread> workers;
    const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
    for (unsigned i = 0; i < std::min<std::size_t>(cores, rungs.size()); ++i)
      workers.emplace_back([&] {
        for (std::size_t at; (at = next++) < rungs.size();)
          found[at] =
              xray_json(places, {std::string(rungs[at]->rung->file), "--op", entry.name()}, left());
      });
  }
  for (std::size_t i = 0; i < rungs.size(); ++i) {
    ordered_json& to = counts[rungs[i]->name];
    if (found[i].contains("error")) {
      const bool left_out = found[i].contains("left_out");
      if (left_out) to["left_out"] = true;
      to["error"] =
          left_out ? fmt::format("left out: no time was left; `./warpath xray {}/{}` counts it",
                                 entry.name(), rungs[i]->name)
                   : found[i]["error"].get<std::string>();
      continue;
    }
    to = found[i]["key"];
    to["case"] = found[i]["case"];
    to["waste"] = found[i]["waste"].empty() ? json(nullptr) : found[i]["waste"][0]["kind"];
    if (const std::string source = sources.of(rungs[i]->rung->file); !source.empty())
      to["source"] = source;
  }
  return counts;
}

void print_counts(const ordered_json& counts) {
  Table table({"rung", "bytes moved", "of the least", "sectors per request", "at least",
               "bank conflicts", "barriers", "largest waste"},
              "lrrrrrrl");
  for (const auto& [rung, c] : counts.items()) {
    if (c.contains("error")) {
      table.add({{rung}, {c.contains("left_out") ? "left out" : "not counted", Tone::dim}});
      continue;
    }
    const auto n = [&](const char* key) { return c.at(key).get<double>(); };
    const double least = n("bytes_least"), wavefronts = n("wavefronts");
    table.add(
        {{rung},
         {short_bytes(n("bytes_moved"))},
         {least > 0 ? fmt::format("{:.1f}x", n("bytes_moved") / least) : ""},
         {fmt::format("{:.1f}", n("sectors_per_request"))},
         {fmt::format("{:.1f}", n("least_sectors_per_request")), Tone::dim},
         {wavefronts > 0 ? fmt::format("{:.0f}%", 100 * n("bank_conflicts") / wavefronts) : ""},
         {fmt::format("{:.3g}", n("barriers"))},
         {c.at("waste").is_null() ? "none" : c.at("waste").get<std::string>(), Tone::dim}});
  }
  fmt::print("\n");
  table.print();
  const auto left_out = std::count_if(counts.begin(), counts.end(),
                                      [](const auto& c) { return c.contains("left_out"); });
  if (left_out > 0)
    fmt::print(
        "  left out: {} of {} rungs, for want of time; --count-seconds 120 counts more of them\n",
        left_out, counts.size());
  for (const auto& [rung, c] : counts.items())
    if (c.contains("error") && !c.contains("left_out"))
      fmt::print("  not counted: {}: {}\n", rung, c["error"].get<std::string>());
  const auto kept =
      std::count_if(counts.begin(), counts.end(), [](const auto& c) { return c.contains("kept"); });
  fmt::print("{}\n",
             paint(Tone::dim,
                   "  one case per rung: bytes through L1 against what the op must move; barriers "
                   "of a thread. ./warpath xray OP/RUNG shows the lines"));
  if (kept > 0)
    fmt::print("{}\n",
               paint(Tone::dim, fmt::format("  {} of {} as cli/counts.json has them, their sources "
                                            "unchanged since; --counts counts them again",
                                            kept, counts.size())));
}

std::string slow_here(const harness::Places& places, const fs::path& file, double seconds) {
  const json j = xray_json(places, {file.string()}, seconds);
  return j.contains("error") ? "" : large_waste(j);
}

GradePart structure_part(const harness::Places& places, const fs::path& file,
                         const fs::path& solution, double seconds) {
  GradePart part{"structure", 0, 0, ""};
  static std::map<std::string, json> solutions;  // a class has one
  json& kept = solutions[solution.string()];
  if (kept.is_null()) kept = xray_json(places, {solution.string()}, seconds);
  const json& ours = kept;
  std::vector<std::string> words = {file.string()};
  // "case 'square' in f32": on the same one.
  const std::string test = ours.value("case", "");
  if (const auto open = test.find('\''); open != test.npos) {
    const auto close = test.rfind('\'');
    words.insert(words.end(), {"--case", test.substr(open + 1, close - open - 1), "--dtype",
                               test.substr(test.rfind(' ') + 1)});
  }
  const json theirs = xray_json(places, words, seconds);
  for (const json* j : {&ours, &theirs})
    if (j->contains("error")) {
      part.why = "not counted: " + j->at("error").get<std::string>();
      return part;
    }
  const auto n = [](const json& j, const char* key) { return j.at("key").at(key).get<double>(); };
  const double moved = n(theirs, "bytes_moved"), best = n(ours, "bytes_moved");
  const double waves = n(theirs, "wavefronts"), least_waves = n(ours, "wavefronts");
  part.why =
      fmt::format("moves {} of global memory, ours {}", short_bytes(moved), short_bytes(best));
  if (waves + least_waves > 0)
    part.why += fmt::format("; {} wavefronts of shared memory, ours {}", short_count(waves),
                            short_count(least_waves));
  const bool worse = moved > 1.25 * best || waves > 1.25 * least_waves + 1;
  if (worse && !theirs.at("waste").empty())
    part.why += ". " + theirs.at("waste")[0].at("sentence").get<std::string>();
  return part;
}

}  // namespace warpath::cli
