// warpath ops: what operations there are, and what each one promises.
#include <fmt/format.h>

#include <fstream>
#include <set>

#include "cli/report.h"
#include "cli/terminal.h"

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace warpath::cli {
namespace {

constexpr const char* examples = R"(
Examples:
  ./warpath ops              every op with its types and rungs
  ./warpath ops softmax      its arguments, ladder, cases and saved results
  ./warpath ops --json)";

std::string dtype_list(const std::vector<DType>& dtypes) {
  std::vector<std::string> names;
  for (const DType d : dtypes) names.emplace_back(name(d));
  return fmt::format("{}", fmt::join(names, " "));
}

std::string dims_text(const ArgSpec& a) {
  std::vector<std::string> words;
  for (const Dim& d : a.dims) {
    std::string w = d.name + (d.leading ? "..." : "");
    if (d.name.empty())
      w = std::to_string(d.plus);
    else if (d.plus)
      w += "+" + std::to_string(d.plus);
    words.push_back(w);
  }
  return "[" + join(words) + "]";
}

std::string role_text(Role r) {
  switch (r) {
    case Role::in:
      return "in";
    case Role::out:
      return "out";
    case Role::inout:
      return "in and out";
    case Role::scalar:
      return "scalar";
    case Role::scratch:
      return "scratch";
  }
  return "";
}

std::string type_text(const ArgSpec& a) {
  if (a.role == Role::scratch) return "as many bytes as the rung asks for";
  if (a.is_tensor()) return a.same_as.empty() ? dtype_list(a.dtypes) : "as " + a.same_as;
  switch (a.scalar) {
    case ScalarType::integer:
      return "integer";
    case ScalarType::real:
      return "real";
    case ScalarType::boolean:
      return "yes or no";
    case ScalarType::choice:
      return join(a.choices);
  }
  return "";
}

std::string default_text(const ArgSpec& a) {
  if (a.role != Role::scalar) return a.optional ? "optional" : "";
  const auto choice = static_cast<std::size_t>(a.fallback);
  if (a.scalar == ScalarType::choice && choice < a.choices.size())
    return "default " + a.choices[choice];
  return fmt::format("default {:g}", a.fallback);
}

// The first line of the comment at the head of a rung's file.
std::string head_line(const fs::path& root, const std::string& file) {
  fs::path path = file;
  if (path.is_relative()) path = root / path;
  std::ifstream in(path);
  std::string line;
  if (!std::getline(in, line) || !line.starts_with("//")) return "";
  return line.substr(line.find_first_not_of("/ ") == std::string::npos
                         ? line.size()
                         : line.find_first_not_of("/ "));
}

struct Known {
  std::string folder;
  const Op* op;
  std::map<std::string, std::vector<const Rung*>> rungs;  // by backend
};

// Whatever can be opened, of both backends; what cannot is said by doctor.
std::vector<Known> known_ops(const harness::Places& places) {
  std::map<std::string, Known> found;
  for (const std::string backend : {"simt", "cuda"})
    for (const std::string& folder : harness::built_folders(places, backend)) {
      const auto library = harness::open_library(places.op_library(folder, backend, false), folder);
      if (!library.ok()) continue;
      for (const Op& op : library.registry->ops) {
        Known& k = found.try_emplace(op.contract.name(), Known{folder, &op, {}}).first->second;
        for (const Rung& r : library.registry->rungs)
          if (r.op == op.contract.name()) k.rungs[backend].push_back(&r);
      }
    }
  std::vector<Known> sorted;
  for (auto& [name, k] : found) sorted.push_back(std::move(k));
  return sorted;
}

std::vector<std::string> not_built(const harness::Places& places, const std::vector<Known>& known) {
  std::vector<std::string> rest;
  for (const std::string& folder : harness::source_folders(places))
    if (std::none_of(known.begin(), known.end(),
                     [&](const Known& k) { return k.folder == folder; }))
      rest.push_back(folder);
  return rest;
}

// For each type of a case the rung that is picked on an sm_90: the highest that takes it, by the CPU's libraries, whose
// device is laid out as one.
ordered_json picked_rungs(const Known& k, const Case& c) {
  ordered_json picked = ordered_json::object();
  const auto ladder = k.rungs.find("simt");
  if (ladder == k.rungs.end()) return picked;
  for (const DType d : harness::dtypes_of(*k.op, c)) {
    const harness::Plan plan = harness::make_plan(*k.op, c, d);
    const harness::ArgsBlob args(plan);
    std::string best;
    for (const Rung* r : ladder->second)
      if (r->min_arch <= 90 && r->supports(args.get()).empty()) best = std::max(best, r->name);
    picked[std::string(name(d))] = best;
  }
  return picked;
}

ordered_json op_json(const harness::Places& places, const Known& k, bool detail) {
  ordered_json j;
  j["op"] = k.op->contract.name();
  j["folder"] = k.folder;
  j["summary"] = k.op->contract.summary();
  for (const DType d : k.op->contract.dtypes()) j["dtypes"].push_back(std::string(name(d)));
  for (const auto& [backend, rungs] : k.rungs)
    for (const Rung* r : rungs) {
      ordered_json rung = {{"name", r->name},
                           {"kind", r->peer ? "peer" : "rung"},
                           {"deterministic", r->deterministic}};
      if (r->min_arch) rung["min_arch"] = r->min_arch;
      if (detail) rung["head"] = head_line(places.root, r->file);
      j["rungs"][backend].push_back(std::move(rung));
    }
  if (!detail) return j;
  for (const ArgSpec& a : k.op->contract.args()) {
    ordered_json arg = {{"name", a.name}, {"role", role_text(a.role)}, {"type", type_text(a)}};
    if (a.is_tensor()) arg["shape"] = dims_text(a);
    if (a.role == Role::scalar) arg["default"] = a.fallback;
    if (a.optional) arg["optional"] = true;
    j["args"].push_back(std::move(arg));
  }
  for (const Case& c : k.op->cases) {
    ordered_json one = {{"name", c.name},
                        {"shape", c.dims},
                        {"scalars", c.scalars},
                        {"offset", c.offset},
                        {"bench", c.bench}};
    if (c.bench) one["picked"] = picked_rungs(k, c);
    j["cases"].push_back(std::move(one));
  }
  return j;
}

std::vector<std::pair<fs::path, ordered_json>> saved_results(const harness::Places& places,
                                                             const std::string& folder) {
  std::vector<std::pair<fs::path, ordered_json>> all;
  std::error_code ignored;
  std::set<fs::path> files;
  for (const auto& e : fs::directory_iterator(places.root / "ops" / folder / "results", ignored))
    if (e.path().extension() == ".json") files.insert(e.path());
  for (const fs::path& f : files) all.emplace_back(f, harness::read_results(f));
  return all;
}

void print_results(const std::string& op, const fs::path& file, const ordered_json& j) {
  fmt::print(
      "\n  {} {}\n", paint(Tone::strong, j["device"].get<std::string>()),
      paint(Tone::dim, fmt::format("{}, {}, {}", j["date"].get<std::string>(),
                                   j["commit"].get<std::string>(), file.filename().string())));
  Table table({"case", "best rung", "time", "TB/s", "roofline", "vs peer"}, "llrrrr");
  std::map<std::string, const ordered_json*> best;
  std::vector<std::string> order;
  for (const auto& r : j["records"]) {
    if (r["op"] != op || r.value("kind", "") != "rung" || !r.contains("time_us")) continue;
    const std::string key = r["case"].get<std::string>() + " " + r["dtype"].get<std::string>();
    if (!best.contains(key)) order.push_back(key);
    const ordered_json*& b = best[key];
    if (!b || r["time_us"]["median"] < (*b)["time_us"]["median"]) b = &r;
  }
  const auto shown = [](const ordered_json& r, const char* field, auto&& text) -> std::string {
    return r.contains(field) && r[field].is_number() ? text(r[field].get<double>()) : "–";
  };
  for (const std::string& key : order) {
    const ordered_json& r = *best[key];
    table.add({{key},
               {r["name"].get<std::string>()},
               {time_text(r["time_us"]["median"].get<double>())},
               {shown(r, "tbs", [](double x) { return fmt::format("{:.3g}", x); })},
               {shown(r, "of_roofline", [](double x) { return fmt::format("{:.1f}%", 100 * x); })},
               {shown(r, "vs_best_peer", [](double x) { return fmt::format("{:.2f}x", x); })}});
  }
  table.print();
}

// Of both backends, each name once, peers last.
std::vector<const Rung*> all_rungs(const Known& k) {
  std::map<std::pair<bool, std::string>, const Rung*> named;
  for (const auto& [backend, rungs] : k.rungs)
    for (const Rung* r : rungs) named.try_emplace({r->peer, r->name}, r);
  std::vector<const Rung*> all;
  for (const auto& [key, r] : named) all.push_back(r);
  return all;
}

void print_one(const harness::Places& places, const Known& k) {
  const Contract& c = k.op->contract;
  fmt::print("\n{}  {}\n\n", paint(Tone::strong, c.name()), c.summary());
  Table args({"argument", "role", "shape", "type", ""});
  for (const ArgSpec& a : c.args())
    args.add({{a.name},
              {role_text(a.role)},
              {a.is_tensor() ? dims_text(a) : ""},
              {type_text(a)},
              {default_text(a)}});
  args.print();
  fmt::print("\n");
  Table ladder({"rung", "on", ""});
  for (const Rung* r : all_rungs(k)) {
    std::string backends;
    for (const auto& [backend, rungs] : k.rungs)
      if (std::any_of(rungs.begin(), rungs.end(),
                      [&](const Rung* o) { return o->name == r->name; }))
        backends += (backends.empty() ? "" : " ") + backend;
    ladder.add({{r->name + (r->peer ? " (peer)" : "")},
                {backends, Tone::dim},
                {r->note.empty() ? head_line(places.root, r->file) : r->note, Tone::dim}});
  }
  ladder.print();
  fmt::print("\n");
  Table cases({"case", "", ""});
  for (const Case& test : k.op->cases)
    cases.add({{test.name},
               {harness::describe_case(*k.op, test)},
               {test.bench ? "timed on a GPU" : "", Tone::dim}});
  cases.print();
  for (const auto& [file, j] : saved_results(places, k.folder)) print_results(c.name(), file, j);
}

int list_all(const Options& o, const harness::Places& places, const std::vector<Known>& known) {
  const std::vector<std::string> rest = not_built(places, known);
  if (o.json) {
    ordered_json j;
    j["ops"] = ordered_json::array();
    for (const Known& k : known) j["ops"].push_back(op_json(places, k, false));
    j["not_built"] = rest;
    print_json(j);
    return all_passed;
  }
  Table table({"op", "", "types", "rungs on simt", "on cuda", "peers"}, "lllrrr");
  for (const Known& k : known) {
    const auto count = [&](const std::string& backend, bool peer) -> std::string {
      const auto it = k.rungs.find(backend);
      if (it == k.rungs.end()) return "–";
      return std::to_string(std::count_if(it->second.begin(), it->second.end(),
                                          [&](const Rung* r) { return r->peer == peer; }));
    };
    table.add({{k.op->contract.name(), Tone::strong},
               {k.op->contract.summary()},
               {dtype_list(k.op->contract.dtypes())},
               {count("simt", false)},
               {count("cuda", false)},
               {count("cuda", true)}});
  }
  table.print();
  if (!rest.empty())
    fmt::print("\n  not built yet: {} (./warpath check NAME builds one)\n", join(rest));
  return all_passed;
}

int ops(const Options& o) {
  const harness::Places places = harness::find_places();
  const std::vector<Known> known = known_ops(places);
  if (o.names.empty()) return list_all(o, places, known);
  std::vector<std::string> names;
  for (const Known& k : known) names.push_back(k.op->contract.name());
  ordered_json j;
  for (const std::string& word : o.names) {
    const auto fits = [&](const Known& k) {
      return k.folder == word || k.op->contract.name() == word;
    };
    if (std::none_of(known.begin(), known.end(), fits)) {
      for (const std::string& folder : not_built(places, known)) {
        if (folder == word)
          throw Refusal(
              fmt::format("op '{0}' is not built; `./warpath check {0}` builds it", word));
        names.push_back(folder);
      }
      const std::string near = nearest(word, names);
      throw Refusal(near.empty() ? fmt::format("no op '{}'; there are: {}", word, join(names))
                                 : fmt::format("no op '{}'; did you mean '{}'?", word, near));
    }
    for (const Known& k : known) {
      if (!fits(k)) continue;
      if (!o.json) {
        print_one(places, k);
        continue;
      }
      ordered_json one = op_json(places, k, true);
      for (const auto& [file, saved] : saved_results(places, k.folder))
        one["results"].push_back(saved);
      j["ops"].push_back(std::move(one));
    }
  }
  if (o.json) print_json(j);
  return all_passed;
}

}  // namespace

void add_ops(Registry& r) {
  CLI::App* c = r.app.add_subcommand("ops", "the operations and their ladders");
  c->footer(examples);
  c->add_option("op", r.options.names, "one op in full");
  add_json_flag(*c, r.options);
  c->callback([&r] { r.status = ops(r.options); });
}

}  // namespace warpath::cli
