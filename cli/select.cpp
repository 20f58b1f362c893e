#include "cli/select.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <thread>

#include "cli/call.h"
#include "harness/turns.h"

namespace warpath::cli {

using harness::Places;

namespace {

// The name that a given word stands for: itself, or the one name that it is a prefix of. Empty:
// none.
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

// Each word must match something in at least one op.
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

}  // namespace

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

void narrow_cases(std::vector<OpEntry>& ops, const Options& o, Cases which,
                  const std::vector<DType>& without) {
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
      std::vector<DType> types = harness::dtypes_of(*e.op, c);
      if (!dtypes.empty())
        std::erase_if(types, [&](DType d) {
          return std::find(dtypes.begin(), dtypes.end(), d) == dtypes.end();
        });
      const auto left = [&](DType d) {
        return std::find(without.begin(), without.end(), d) != without.end();
      };
      if (!std::all_of(types.begin(), types.end(), left)) std::erase_if(types, left);
      // A case that gives a single tensor such a type has no kernel.
      if (std::any_of(c.types.begin(), c.types.end(),
                      [&](const auto& t) { return left(t.second); }))
        continue;
      for (const DType d : types) e.attempts.push_back({i, d});
    }
  }
}

Backend choose_backend(const Places& places, const std::string& asked) {
  if (!asked.empty() && asked != "simt" && asked != "cuda")
    throw Refusal(fmt::format("no backend '{}'; there are: simt (this CPU), cuda (a GPU)", asked));
  std::string why;
  for (const std::string name : {"cuda", "simt"}) {
    if (!asked.empty() && asked != name) continue;
    // The GPU is tried first. It is no error that there is none, unless it was asked for.
    Backend b{name, name == "cuda", harness::probe_device(places.device_library(name))};
    if (b.probe.ok()) return b;
    why += (why.empty() ? "" : "; ") + name + ": " + b.probe.error;
  }
  throw Refusal(
      fmt::format("no backend works here ({}); `./warpath doctor` says what to install", why));
}

std::vector<OpEntry> open_ops(const Places& places, const NamedFolder& named,
                              const std::string& backend, RungSet set) {
  const bool wrong = set == RungSet::wrong;
  if (wrong && !std::filesystem::exists(places.op_library(named.folder, backend, true))) return {};
  const harness::OpenFolder opened =
      harness::open_folder(places, named.folder, set == RungSet::none ? "" : backend, wrong);
  if (!opened.ok()) throw Refusal(opened.error);
  std::vector<OpEntry> ops;
  for (const Op* op : opened.ops) {
    if (!named.op.empty() && op->contract.name() != named.op) continue;
    OpEntry e{named.family, named.folder, op, {}, {}};
    for (const Rung* r : opened.rungs)
      if (r->op == op->contract.name() && (set == RungSet::ladder_and_peers || !r->peer))
        e.contestants.push_back({r, r->name});
    ops.push_back(std::move(e));
  }
  return ops;
}

std::vector<OpEntry> find_ops(const Places& places, const std::vector<std::string>& names,
                              const std::string& backend, RungSet set) {
  const std::vector<std::string> built =
      harness::built_folders(places, set == RungSet::none ? "host" : backend);
  std::vector<OpEntry> found;
  for (const std::string& word : names) {
    bool any = false;
    for (const NamedFolder& named : named_folders(places, word)) {
      if (std::find(built.begin(), built.end(), named.folder) == built.end()) continue;
      any = true;
      for (OpEntry& e : open_ops(places, named, backend, set))
        if (std::none_of(found.begin(), found.end(),
                         [&](const OpEntry& f) { return f.name() == e.name(); }))
          found.push_back(std::move(e));
    }
    if (any) continue;
    if (word == "all")
      throw Refusal(
          fmt::format("no op is built for {}; `./warpath doctor` says what is missing", backend));
    if (set == RungSet::none)
      throw Refusal(
          fmt::format("the cases of '{0}' are not built; `./warpath check {0}` builds them", word));
    const bool checked = backend == "checked";
    throw Refusal(fmt::format("op '{0}' is not built for {1}; `./warpath check {0}{2}` builds it",
                              word, checked ? "the checks" : backend,
                              checked ? " --sanitize" : ""));
  }
  return found;
}

void narrow(std::vector<OpEntry>& ops, const Options& o, Cases which) {
  narrow_rungs(ops, o.rungs);
  narrow_cases(ops, o, which);
  std::erase_if(ops, [](const OpEntry& e) { return e.contestants.empty() || e.attempts.empty(); });
}

void keep_one_type(std::vector<OpEntry>& ops) {
  for (OpEntry& e : ops) {
    std::vector<harness::Attempt> kept;
    std::size_t turn = 0;
    for (std::size_t i = 0; i < e.attempts.size();) {
      std::size_t end = i;
      while (end < e.attempts.size() && e.attempts[end].test == e.attempts[i].test) ++end;
      kept.push_back(e.attempts[i + turn++ % (end - i)]);
      i = end;
    }
    e.attempts = std::move(kept);
  }
}

void smallest_first(std::vector<OpEntry>& ops) {
  struct Sized {
    harness::Attempt attempt;
    double work = 0;
    bool empty = false;            // a tensor without elements: it shows little
    std::vector<bool> takes = {};  // which rungs have a kernel for it
  };
  for (OpEntry& e : ops) {
    std::vector<Sized> all;
    for (const harness::Attempt& a : e.attempts) {
      const harness::Plan plan = harness::make_plan(*e.op, e.op->cases[a.test], a.dtype);
      const harness::ArgsBlob args = args_without_data(plan);
      Sized s{a};
      for (const harness::TensorPlan& t : plan.tensors) s.empty |= t.present && t.size == 0;
      const Cost cost = e.op->cost(args.get());
      s.work = std::max(cost.flops, cost.bytes);
      for (const harness::Contestant& c : e.contestants)
        s.takes.push_back(c.rung->supports(args.get()).empty());
      all.push_back(std::move(s));
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const Sized& a, const Sized& b) { return a.work < b.work; });
    // The rungs with the fewest cases first: theirs are mostly cases of the others too.
    std::vector<std::size_t> rungs(e.contestants.size());
    std::iota(rungs.begin(), rungs.end(), 0);
    const auto cases = [&](std::size_t r) {
      return std::count_if(all.begin(), all.end(), [r](const Sized& s) { return s.takes[r]; });
    };
    std::stable_sort(rungs.begin(), rungs.end(),
                     [&](std::size_t a, std::size_t b) { return cases(a) < cases(b); });
    for (const std::size_t r : rungs) {
      if (std::any_of(all.begin(), all.end(),
                      [r](const Sized& s) { return s.attempt.needed && s.takes[r]; }))
        continue;
      const auto first = std::find_if(all.begin(), all.end(),
                                      [r](const Sized& s) { return s.takes[r] && !s.empty; });
      if (first != all.end()) first->attempt.needed = true;
    }
    std::stable_partition(all.begin(), all.end(), [](const Sized& s) { return s.attempt.needed; });
    for (std::size_t i = 0; i < all.size(); ++i) e.attempts[i] = all[i].attempt;
  }
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
  s.launches = o.launches;
  if (o.sanitize) s.check_library = places.check_library();
  return s;
}

}  // namespace warpath::cli
