// warpath ops: what operations there are, and what each one promises.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>

#include "cli/call.h"
#include "cli/command.h"
#include "cli/ladder_files.h"
#include "cli/lesson_order.h"
#include "cli/op_names.h"
#include "cli/report.h"
#include "cli/terminal.h"
#include "core/host/choose.h"
#include "harness/result_file.h"

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace warpath::cli {
namespace {

constexpr const char* ops_examples = R"(
Examples:
  ./warpath ops                            every op by family, with its types and rungs
  ./warpath ops softmax                    its arguments, ladder, cases and saved results
  ./warpath ops matmul/                    every op of the family
  ./warpath ops matmul --why 512x4096x4096 which rung answers a call of that size, and why not the others
  ./warpath ops softmax --why rows=8192,cols=50257 --dtype bf16
  ./warpath ops --json

Sizes of --why are in the order in which the arguments name them, or by name, with scalars as activation=gelu and
without=bias. The choice is the one that the Python ops and ONNX Runtime make too, on an sm_90.)";

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
    else if (!d.and_name.empty())
      w += "+" + d.and_name;
    else if (d.plus)
      w += "+" + std::to_string(d.plus);
    words.push_back(w);
  }
  return a.list ? "list of " + join(words) : "[" + join(words) + "]";
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
  if (a.has_data()) return a.same_as.empty() ? dtype_list(a.dtypes) : "as " + a.same_as;
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
  if (!a.in_place.empty()) return "may be " + a.in_place + " itself";
  if (a.role != Role::scalar) return a.optional ? "optional" : "";
  const auto choice = static_cast<std::size_t>(a.fallback);
  if (a.scalar == ScalarType::choice && choice < a.choices.size())
    return "default " + a.choices[choice];
  return fmt::format("default {:g}", a.fallback);
}

// A rung as its file describes it, without a compiler: its number and name, and what it changes.
struct RungFile {
  std::string op, name, head;
};

// backward_03_warp.cu of softmax is a rung of softmax_backward.
std::vector<RungFile> rung_files(const harness::OpFolder& folder) {
  std::map<std::pair<std::string, std::string>, RungFile> found;
  std::error_code ignored;
  for (const auto& e : fs::directory_iterator(folder.path, ignored)) {
    const std::string stem = e.path().stem().string(), rung = rung_name(e.path().string());
    const bool numbered = rung.size() > 2 && std::isdigit(static_cast<unsigned char>(rung[0]));
    if (e.path().extension() != ".cu" || !numbered) continue;
    std::string op = folder.name;
    if (stem.size() > rung.size()) op += "_" + stem.substr(0, stem.size() - rung.size() - 1);
    found[{op, rung}] = {op, rung, head_line(e.path())};
  }
  std::vector<RungFile> sorted;
  for (auto& [key, file] : found) sorted.push_back(std::move(file));
  return sorted;
}

struct Known {
  harness::OpFolder folder;
  const Op* op;
  std::vector<RungFile> rungs;
  std::vector<std::string> peers;   // from the GPU library, if it is built
  std::vector<const Rung*> ladder;  // from the CPU library, if it is built
};

std::vector<const Rung*> rungs_of(const harness::Places& places, const std::string& folder,
                                  const std::string& backend, const Op& op, bool peers) {
  std::vector<const Rung*> found;
  const auto built = harness::built_folders(places, backend);
  if (std::find(built.begin(), built.end(), folder) == built.end()) return found;
  for (const Rung* r : harness::open_folder(places, folder, backend).rungs)
    if (r->op == op.contract.name() && r->peer == peers) found.push_back(r);
  return found;
}

// In the order of the lessons; a folder whose host library is not built is left out.
std::vector<Known> known_ops(const harness::Places& places) {
  std::vector<harness::OpFolder> folders = lesson_order(places.root);
  for (const std::string& built : harness::built_folders(places, "simt"))  // built from elsewhere
    if (std::none_of(folders.begin(), folders.end(),
                     [&](const harness::OpFolder& f) { return f.name == built; }))
      folders.push_back({"", built, {}, {}});
  std::vector<Known> found;
  for (const harness::OpFolder& folder : folders)
    for (const Op* op :
         harness::open_folder(places, folder.name, folder.family.empty() ? "simt" : "").ops) {
      Known k{folder, op, {}, {}, {}};
      for (RungFile& r : rung_files(folder))
        if (r.op == op->contract.name()) k.rungs.push_back(std::move(r));
      for (const Rung* r : rungs_of(places, folder.name, "cuda", *op, true))
        k.peers.push_back(r->name);
      k.ladder = rungs_of(places, folder.name, "simt", *op, false);
      if (k.rungs.empty())
        for (const Rung* r : k.ladder) k.rungs.push_back({r->op, r->name, r->note});
      found.push_back(std::move(k));
    }
  return found;
}

// For each type of a case, the rung that is chosen on sm_90. The CPU library is asked, because its
// device emulates an sm_90.
ordered_json chosen_rungs(const Known& k, const Case& c) {
  ordered_json chosen = ordered_json::object();
  for (const DType d : harness::dtypes_of(*k.op, c)) {
    const harness::Plan plan = harness::make_plan(*k.op, c, d);
    const harness::ArgsBlob args = args_without_data(plan);
    const Rung* r = choose_rung(k.ladder, args.get(), simt_arch);
    chosen[std::string(name(d))] = r ? r->name : "";
  }
  return chosen;
}

// What a timed case takes: the caller's tensors, and the scratch memory that each rung that takes it asks for.
ordered_json memory_of(const Known& k, const Case& c) {
  ordered_json memory = ordered_json::object();
  for (const DType d : harness::dtypes_of(*k.op, c)) {
    const harness::Plan plan = harness::make_plan(*k.op, c, d);
    const harness::ArgsBlob args = args_without_data(plan);
    ordered_json& here = memory[std::string(name(d))];
    here["tensors"] = ordered_json::object();
    for (const harness::TensorPlan& t : plan.tensors)
      if (t.present) here["tensors"][t.name] = t.bytes;
    here["scratch"] = ordered_json::object();
    for (const Rung* r : k.ladder)
      if (obstacle(*r, args.get(), simt_arch).empty())
        here["scratch"][r->name] = r->scratch(args.get());
  }
  return memory;
}

ordered_json op_json(const Known& k, bool detail) {
  const Contract& contract = k.op->contract;
  ordered_json j;
  j["op"] = contract.name();
  j["family"] = k.folder.family;
  j["folder"] = k.folder.name;
  j["summary"] = contract.summary();
  for (const DType d : contract.dtypes()) j["dtypes"].push_back(std::string(name(d)));
  j["rungs"] = ordered_json::array();
  for (const RungFile& r : k.rungs) {
    ordered_json rung = {{"name", r.name}};
    if (const int arch = rung_arch(r.name)) rung["min_arch"] = arch;
    if (detail) rung["head"] = r.head;
    j["rungs"].push_back(std::move(rung));
  }
  j["peers"] = k.peers;
  if (!detail) return j;
  for (const ArgSpec& a : contract.args()) {
    ordered_json arg = {{"name", a.name}, {"role", role_text(a.role)}, {"type", type_text(a)}};
    if (a.has_data()) arg["shape"] = dims_text(a);
    if (a.role == Role::scalar) arg["default"] = scalar_text(a, a.fallback);
    if (a.optional) arg["optional"] = true;
    if (!a.in_place.empty()) arg["in_place"] = a.in_place;
    j["args"].push_back(std::move(arg));
  }
  const bool has_scratch = std::ranges::any_of(
      contract.args(), [](const ArgSpec& a) { return a.role == Role::scratch; });
  for (const Case& c : k.op->cases) {
    ordered_json one = {{"name", c.name},     {"shape", c.dims},
                        {"lists", c.lists},   {"what", harness::describe_case(*k.op, c)},
                        {"offset", c.offset}, {"bench", c.bench}};
    if (c.bench && !k.ladder.empty()) one["chosen"] = chosen_rungs(k, c);
    if (c.bench && has_scratch && !k.ladder.empty()) one["memory"] = memory_of(k, c);
    j["cases"].push_back(std::move(one));
  }
  return j;
}

void print_results(const harness::ResultFile& file, const harness::OpResults& results) {
  fmt::print("\n  {} {}\n", paint(Tone::strong, file.device),
             paint(Tone::dim, fmt::format("{}, {}, {}", file.date, file.commit,
                                          file.path.filename().string())));
  Table table({"case", "best rung", "time", "TB/s", "roofline", "vs peer"}, "llrrrr");
  const auto shown = [](const std::optional<double>& x, auto&& text) -> std::string {
    return x ? text(*x) : "–";
  };
  for (const harness::MeasuredCase& c : results.cases) {
    const harness::Measured* best = results.best_rung(c);
    if (!best) continue;
    table.add({{c.test + " " + c.dtype},
               {best->name},
               {time_text(*best->median_us)},
               {shown(best->tbs, [](double x) { return fmt::format("{:.3g}", x); })},
               {shown(best->of_roofline, [](double x) { return fmt::format("{:.1f}%", 100 * x); })},
               {shown(best->vs_best_peer, [](double x) { return fmt::format("{:.2f}x", x); })}});
  }
  table.print();
}

void print_one(const Known& k) {
  const Contract& c = k.op->contract;
  fmt::print("\n{}  {}\n\n", paint(Tone::strong, c.name()), c.summary());
  Table args({"argument", "role", "shape", "type", ""});
  for (const ArgSpec& a : c.args())
    args.add({{a.name},
              {role_text(a.role)},
              {a.has_data() ? dims_text(a) : ""},
              {type_text(a)},
              {default_text(a)}});
  args.print();
  fmt::print("\n");
  Table ladder({"rung", ""});
  for (const RungFile& r : k.rungs) ladder.add({{r.name}, {r.head, Tone::dim}});
  for (const std::string& p : k.peers) ladder.add({{p + " (peer)"}, {""}});
  ladder.print();
  fmt::print("\n");
  Table cases({"case", "", ""});
  for (const Case& test : k.op->cases)
    cases.add({{test.name},
               {harness::describe_case(*k.op, test)},
               {test.bench ? "timed on a GPU" : "", Tone::dim}});
  cases.print();
  for (const harness::ResultFile& file : harness::result_files(k.folder.path))
    if (const harness::OpResults* results = file.find(c.name())) print_results(file, *results);
}

int list_as_data(const std::vector<Known>& known) {
  ordered_json j;
  j["ops"] = ordered_json::array();
  for (const Known& k : known) j["ops"].push_back(op_json(k, false));
  print_json(j);
  return all_passed;
}

// One line of the list.
struct Listed {
  std::string family, op, summary, dtypes;
  std::size_t rungs = 0;
};

// The text between the quotes of one or more literals that follow each other.
std::string literal_text(const std::string& quoted) {
  static const std::regex one(R"re("((?:[^"\\]|\\.)*)")re");
  std::string text;
  for (std::sregex_iterator it(quoted.begin(), quoted.end(), one), end; it != end; ++it)
    text += (*it)[1];
  return text;
}

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// How many rung files of a folder register for an args struct.
std::map<std::string, std::size_t> registered_rungs(const harness::OpFolder& folder) {
  std::map<std::string, std::size_t> found;
  std::error_code ignored;
  for (const auto& e : fs::directory_iterator(folder.path, ignored)) {
    if (e.path().extension() != ".cu" || e.path().stem().string().starts_with("peers")) continue;
    const std::string text = text_of(e.path());
    static const std::string call = "WARPATH_RUNG(";
    for (auto at = text.find(call); at != text.npos; at = text.find(call, at)) {
      at += call.size();
      const std::string args = text.substr(at, text.find_first_of(",)", at) - at);
      const auto scope = args.rfind(':');
      ++found[scope == args.npos ? args : args.substr(scope + 1)];
    }
  }
  return found;
}

// What the files of a folder say, without a library: the list needs nothing built.
std::vector<Listed> listed_in(const harness::OpFolder& folder) {
  static const std::regex declared(
      R"re(struct (\w+) \{\s*static constexpr const char\* op = "([^"]+)")re");
  static const std::regex types(R"re(\{((?:\s*DType::\w+,?)+)\s*\}(?:\)(\s*\.index\(\))?)?)re"),
      type(R"re(DType::(\w+))re");
  static const std::regex summary(R"re(Contract\(op,\s*((?:"(?:[^"\\]|\\.)*"\s*)+))re");
  const std::string text = text_of(folder.path / (folder.name + ".h"));
  const std::map<std::string, std::size_t> rungs = registered_rungs(folder);
  std::vector<Listed> found;
  for (std::sregex_iterator it(text.begin(), text.end(), declared), end; it != end; ++it) {
    const auto from = static_cast<std::size_t>(it->position());
    const auto to =
        std::next(it) == end ? text.size() : static_cast<std::size_t>(std::next(it)->position());
    const std::string part = text.substr(from, to - from);
    const auto count = rungs.find((*it)[1]);
    Listed l{folder.family, (*it)[2], "", "", count == rungs.end() ? 0 : count->second};
    if (std::smatch m; std::regex_search(part, m, summary)) l.summary = literal_text(m[1]);
    // Those of the first tensor that holds numbers, not positions.
    std::string list;
    for (std::sregex_iterator t(part.begin(), part.end(), types); t != end && list.empty(); ++t)
      if (!(*t)[2].matched) list = (*t)[1];
    for (std::sregex_iterator t(list.begin(), list.end(), type); t != end; ++t)
      l.dtypes += (l.dtypes.empty() ? "" : " ") + ((*t)[1] == "boolean" ? "bool" : (*t)[1].str());
    found.push_back(std::move(l));
  }
  return found;
}

// Of a folder whose header does not say it.
std::vector<Listed> listed_by_library(const harness::Places& places,
                                      const harness::OpFolder& folder) {
  const harness::OpenFolder opened = harness::open_folder(places, folder.name, "simt");
  std::vector<Listed> found;
  for (const Op* op : opened.ops) {
    const auto is_rung = [&](const Rung* r) { return r->op == op->contract.name() && !r->peer; };
    const auto rungs = std::count_if(opened.rungs.begin(), opened.rungs.end(), is_rung);
    found.push_back({folder.family, op->contract.name(), op->contract.summary(),
                     dtype_list(op->contract.dtypes()), static_cast<std::size_t>(rungs)});
  }
  return found;
}

int list_all(const harness::Places& places) {
  std::vector<Listed> all;
  std::vector<harness::OpFolder> folders = lesson_order(places.root);
  for (const std::string& built : harness::built_folders(places, "simt"))  // built from elsewhere
    if (std::none_of(folders.begin(), folders.end(),
                     [&](const harness::OpFolder& f) { return f.name == built; }))
      folders.push_back({"", built, {}, {}});
  for (const harness::OpFolder& folder : folders) {
    std::vector<Listed> ops = listed_in(folder);
    if (ops.empty()) ops = listed_by_library(places, folder);
    for (Listed& l : ops) all.push_back(std::move(l));
  }
  std::vector<std::string> families;
  for (const Listed& l : all) add_unique(families, l.family);
  Table table({"family", "op", "", "types", "rungs"}, "llllr");
  for (const std::string& family : families) {
    std::string shown = family;
    for (const Listed& l : all)
      if (l.family == family)
        table.add({{std::exchange(shown, ""), Tone::note},
                   {l.op, Tone::strong},
                   {l.summary},
                   {l.dtypes},
                   {std::to_string(l.rungs)}});
  }
  table.print();
  return all_passed;
}

// What decides the choice of a rung for one call.
ordered_json why(const Options& o, const Known& k) {
  if (k.ladder.empty())
    throw Refusal(fmt::format("op '{0}' is not built for this CPU; `./warpath check {0}` builds it",
                              k.op->contract.name()));
  const Case test = parse_call(*k.op, o.why);
  const std::vector<DType> allowed = harness::dtypes_of(*k.op, test);
  // bf16 where there is a choice: it is the type most people run.
  DType dtype = std::find(allowed.begin(), allowed.end(), DType::bf16) != allowed.end()
                    ? DType::bf16
                    : allowed.front();
  if (!o.dtypes.empty()) {
    const auto asked = parse_dtype(o.dtypes.front());
    if (!asked || std::find(allowed.begin(), allowed.end(), *asked) == allowed.end())
      throw Refusal(
          fmt::format("no dtype '{}' here; there are: {}", o.dtypes.front(), dtype_list(allowed)));
    dtype = *asked;
  }
  const harness::Plan plan = harness::make_plan(*k.op, test, dtype);
  const harness::ArgsBlob args = args_without_data(plan);
  ordered_json j = {{"op", k.op->contract.name()},
                    {"call", harness::describe_case(*k.op, test)},
                    {"dtype", std::string(name(dtype))},
                    {"rungs", ordered_json::array()}};
  if (!o.json)
    fmt::print("\n{}  {}, {}\n", paint(Tone::strong, k.op->contract.name()),
               harness::describe_case(*k.op, test), name(dtype));
  Table table({"rung", "", ""});
  for (const Considered& c : explain_choice(k.ladder, args.get(), simt_arch)) {
    const char* verdict = c.chosen           ? "chosen"
                          : !c.possible      ? "cannot"
                          : c.reason.empty() ? "could"
                                             : "rather not";
    table.add({{c.rung->name},
               {verdict, c.chosen ? Tone::good : Tone::dim},
               {c.reason.empty() && !c.chosen ? "a higher rung is chosen" : c.reason, Tone::dim}});
    j["rungs"].push_back({{"name", c.rung->name}, {"verdict", verdict}, {"reason", c.reason}});
    if (c.chosen) j["chosen"] = c.rung->name;
  }
  if (!o.json) table.print();
  return j;
}

int ops(const Options& o) {
  const harness::Places places = harness::find_places();
  if (o.names.empty() && !o.why.empty())
    throw Refusal("--why is about one op: ./warpath ops matmul --why 512x4096x4096");
  if (o.names.empty() && !o.json) return list_all(places);
  const std::vector<Known> known = known_ops(places);
  if (o.names.empty()) return list_as_data(known);
  ordered_json j;
  j["ops"] = ordered_json::array();
  for (const std::string& word : o.names)
    for (const NamedFolder& named : named_folders(places, word)) {
      bool any = false;
      for (const Known& k : known) {
        const bool meant = k.folder.name == named.folder &&
                           (named.op.empty() || named.op == k.op->contract.name());
        // Sizes are matched with the op of exactly this name, not with its backward pass too.
        if (!meant || (!o.why.empty() && named.op.empty() && k.op->contract.name() != named.folder))
          continue;
        any = true;
        if (!o.why.empty()) {
          j["ops"].push_back(why(o, k));
        } else if (!o.json) {
          print_one(k);
        } else {
          ordered_json one = op_json(k, true);
          for (const harness::ResultFile& file : harness::result_files(k.folder.path))
            one["results"].push_back(harness::read_results(file.path));
          j["ops"].push_back(std::move(one));
        }
      }
      if (!any)
        throw Refusal(fmt::format("op '{0}' is not built; `./warpath ops {0}` builds what it needs",
                                  named.folder));
    }
  if (o.json) print_json(j);
  return all_passed;
}

}  // namespace

const Command ops_command = {
    "ops", "the operations and their ladders", ops_examples,
    [](Flags& flags, Options& o) {
      flags.names(o.names, "ops or families, in full", false);
      flags.text("--why", o.why, "SIZES", "which rung answers a call of these sizes, and why");
      flags.list("--dtype", o.dtypes, false, "D", "the type of that call (default: bf16)");
      add_json_flag(flags, o);
    },
    ops};

}  // namespace warpath::cli
