#include "cli/select.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <thread>

#include "harness/turns.h"

namespace warpath::cli {

using harness::Places;

namespace {

std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j)
      diagonal = std::exchange(
          row[j], std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])}));
  }
  return row.back();
}

std::string did_you_mean(const std::string& kind, const std::string& word,
                         const std::vector<std::string>& known) {
  if (const std::string near = nearest(word, known); !near.empty())
    return fmt::format("no {} '{}'; did you mean '{}'?", kind, word, near);
  return fmt::format("no {} '{}'; there are: {}", kind, word, join(known));
}

void add_unique(std::vector<std::string>& words, const std::string& word) {
  if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
}

// What a given word means among the names: itself, or the one name that it begins. Empty: none.
std::string resolve(const std::string& kind, const std::string& word,
                    const std::vector<std::string>& names) {
  if (std::find(names.begin(), names.end(), word) != names.end()) return word;
  std::vector<std::string> begun;
  for (const std::string& n : names)
    if (n.starts_with(word)) add_unique(begun, n);
  if (begun.size() > 1)
    throw Refusal(fmt::format("{} '{}' may be any of: {}", kind, word, join(begun)));
  return begun.empty() ? "" : begun.front();
}

// Each word must mean something in at least one op.
void refuse_unknown(const std::string& kind, const std::vector<std::string>& words,
                    const std::vector<std::string>& known) {
  for (const std::string& w : words) {
    const bool found = std::any_of(known.begin(), known.end(),
                                   [&](const std::string& k) { return k.starts_with(w); });
    if (!found) throw Refusal(did_you_mean(kind, w, known));
  }
}

std::set<std::string> wanted(const std::string& kind, const std::vector<std::string>& words,
                             const std::vector<std::string>& names) {
  std::set<std::string> found;
  for (const std::string& w : words)
    if (const std::string n = resolve(kind, w, names); !n.empty()) found.insert(n);
  return found;
}

std::vector<DType> wanted_dtypes(const std::vector<std::string>& words,
                                 const std::vector<OpEntry>& ops) {
  std::vector<std::string> known;
  for (const OpEntry& e : ops)
    for (const DType d : e.op->contract.dtypes()) add_unique(known, std::string(name(d)));
  std::vector<DType> found;
  for (const std::string& w : words) {
    if (std::find(known.begin(), known.end(), w) == known.end())
      throw Refusal(fmt::format("no dtype '{}' here; there are: {}", w, join(known)));
    found.push_back(parse_dtype(w).value());
  }
  return found;
}

void narrow_rungs(std::vector<OpEntry>& ops, const std::vector<std::string>& words) {
  if (words.empty()) return;
  std::vector<std::string> known;
  for (const OpEntry& e : ops)
    for (const auto& c : e.contestants) add_unique(known, c.name);
  refuse_unknown("rung", words, known);
  for (OpEntry& e : ops) {
    std::vector<std::string> names;
    for (const auto& c : e.contestants) names.push_back(c.name);
    const auto keep = wanted("rung", words, names);
    std::erase_if(e.contestants, [&](const auto& c) { return !keep.contains(c.name); });
  }
}

void narrow_cases(std::vector<OpEntry>& ops, const Options& o, Cases which) {
  const auto fits = [&](const Case& c) {
    return which == Cases::all || c.bench == (which == Cases::bench);
  };
  const std::vector<DType> dtypes = wanted_dtypes(o.dtypes, ops);
  std::vector<std::string> known;
  for (const OpEntry& e : ops)
    for (const Case& c : e.op->cases)
      if (fits(c)) add_unique(known, c.name);
  refuse_unknown("case", o.cases, known);
  for (OpEntry& e : ops) {
    std::vector<std::string> names;
    for (const Case& c : e.op->cases)
      if (fits(c)) names.push_back(c.name);
    const auto keep = wanted("case", o.cases, names);
    for (std::size_t i = 0; i < e.op->cases.size(); ++i) {
      const Case& c = e.op->cases[i];
      if (!fits(c) || (!o.cases.empty() && !keep.contains(c.name))) continue;
      for (const DType d : harness::dtypes_of(*e.op, c))
        if (dtypes.empty() || std::find(dtypes.begin(), dtypes.end(), d) != dtypes.end())
          e.attempts.push_back({i, d});
    }
  }
}

}  // namespace

std::string nearest(const std::string& word, const std::vector<std::string>& known) {
  std::string best;
  std::size_t least = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& k : known) {
    const std::size_t d = distance(word, k);
    if (d < least) {
      least = d;
      best = k;
    }
  }
  return best;
}

std::string join(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

Backend choose_backend(const Places& places, const std::string& asked) {
  if (!asked.empty() && asked != "simt" && asked != "cuda")
    throw Refusal(fmt::format("no backend '{}'; there are: simt (this CPU), cuda (a GPU)", asked));
  std::string why;
  for (const std::string name : {"cuda", "simt"}) {
    if (!asked.empty() && asked != name) continue;
    // The GPU is looked for first; that there is none is no news unless it was asked for.
    Backend b{name, name == "cuda", harness::probe_device(places.device_library(name))};
    if (b.probe.ok()) return b;
    why += (why.empty() ? "" : "; ") + name + ": " + b.probe.error;
  }
  throw Refusal(
      fmt::format("no backend works here ({}); `./warpath doctor` says what to install", why));
}

std::vector<OpEntry> open_folder(const Places& places, const std::string& folder,
                                 const std::string& backend, RungSet set) {
  const harness::OpenLibrary main =
      harness::open_library(places.op_library(folder, backend, false), folder);
  if (!main.ok()) throw Refusal(main.error);
  harness::OpenLibrary wrong;
  if (set == RungSet::wrong) {
    const auto path = places.op_library(folder, backend, true);
    if (!std::filesystem::exists(path)) return {};
    wrong = harness::open_library(path, folder);
    if (!wrong.ok()) throw Refusal(wrong.error);
  }
  std::vector<OpEntry> ops;
  for (const Op& op : main.registry->ops) {
    OpEntry e{folder, &op, {}, {}};
    for (const Rung& r : (set == RungSet::wrong ? wrong : main).registry->rungs)
      if (r.op == op.contract.name() && (set == RungSet::ladder_and_peers || !r.peer))
        e.contestants.push_back({&r, r.name});
    ops.push_back(std::move(e));
  }
  return ops;
}

std::vector<OpEntry> find_ops(const Places& places, const std::vector<std::string>& names,
                              const std::string& backend, RungSet set) {
  const std::vector<std::string> built = harness::built_folders(places, backend);
  const auto has = [](const std::vector<std::string>& words, const std::string& w) {
    return std::find(words.begin(), words.end(), w) != words.end();
  };
  std::vector<OpEntry> found;
  const auto add = [&](std::vector<OpEntry> more) {
    for (OpEntry& e : more)
      if (std::none_of(found.begin(), found.end(),
                       [&](const OpEntry& f) { return f.name() == e.name(); }))
        found.push_back(std::move(e));
  };
  for (const std::string& word : names) {
    if (word == "all") {
      if (built.empty())
        throw Refusal(
            fmt::format("no op is built for {}; `./warpath doctor` says what is missing", backend));
      for (const std::string& folder : built) add(open_folder(places, folder, backend, set));
      continue;
    }
    if (has(built, word)) {
      add(open_folder(places, word, backend, set));
      continue;
    }
    std::vector<std::string> known;
    bool hit = false;
    for (const std::string& folder : built)
      for (OpEntry& e : open_folder(places, folder, backend, set)) {
        add_unique(known, e.name());
        if (e.name() != word) continue;
        add({std::move(e)});
        hit = true;
      }
    if (hit) continue;
    const auto sources = harness::source_folders(places);
    if (has(sources, word))
      throw Refusal(fmt::format("op '{0}' is not built for {1}; `./warpath check {0}{2}` builds it",
                                word, backend == "checked" ? "the checks" : backend,
                                backend == "checked" ? " --sanitize" : ""));
    for (const std::string& folder : sources) add_unique(known, folder);
    throw Refusal(did_you_mean("op", word, known));
  }
  return found;
}

void narrow(std::vector<OpEntry>& ops, const Options& o, Cases which) {
  narrow_rungs(ops, o.rungs);
  narrow_cases(ops, o, which);
  std::erase_if(ops, [](const OpEntry& e) { return e.contestants.empty() || e.attempts.empty(); });
}

harness::Settings make_settings(const Places& places, const Backend& backend, const Options& o) {
  harness::Settings s;
  s.device_library = places.device_library(backend.name);
  s.gpu = backend.gpu;
  s.arch = backend.probe.info.arch;
  s.seed = o.seed;
  s.timeout =
      o.timeout.value_or(backend.gpu ? harness::default_timeout_gpu : harness::default_timeout_cpu);
  s.jobs = !o.fork      ? 1
           : o.jobs > 0 ? o.jobs
                        : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  s.seconds = o.seconds;
  s.rest = backend.gpu ? harness::rest_before_turn : 0;
  s.patience = o.patience;
  if (o.sanitize) s.check_library = places.check_library();
  return s;
}

}  // namespace warpath::cli
