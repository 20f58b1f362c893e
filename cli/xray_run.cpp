#include "cli/xray_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "cli/call.h"
#include "cli/counted_library.h"
#include "cli/debug.h"
#include "cli/kernel_source.h"
#include "cli/learner.h"
#include "cli/op_names.h"
#include "cli/source_text.h"
#include "cli/terminal.h"
#include "cli/xray_registers.h"
#include "harness/process.h"

namespace fs = std::filesystem;

namespace warpath::cli {
namespace {

// Why no case of an op has the name and the type that were asked for.
std::string unknown_case(const Op& op, const std::string& wanted, const std::string& type) {
  std::vector<std::string> cases, types;
  for (const Case& c : op.cases) {
    add_unique(cases, c.name);
    for (const DType d : harness::dtypes_of(op, c)) add_unique(types, std::string(name(d)));
  }
  const std::string of = "of " + op.contract.name();
  if (!type.empty() && std::find(types.begin(), types.end(), type) == types.end())
    return did_you_mean("dtype", type, types, of);
  if (std::ranges::none_of(cases, [&](const std::string& c) { return c.starts_with(wanted); }))
    return did_you_mean("case", wanted, cases, of);
  return fmt::format("case '{}' {} has no type {}", wanted, of, type);
}

}  // namespace

ChosenCase choose_counted_case(const Op& op, const Rung& rung, const Options& o, bool timed) {
  const std::string wanted = o.cases.empty() ? "" : o.cases.front();
  const std::string type = o.dtypes.empty() ? "" : o.dtypes.front();
  // The one that is named, or those that begin so.
  const bool exact = std::any_of(op.cases.begin(), op.cases.end(),
                                 [&](const Case& c) { return c.name == wanted; });
  const auto is_wanted = [&](const Case& c) {
    return exact ? c.name == wanted : c.name.starts_with(wanted);
  };
  std::string why, too_large;
  // A shape that is timed, made small: first in f32.
  ChosenCase small_one;
  for (const Case& c : op.cases) {
    if (!timed || !c.bench || !is_wanted(c) ||
        (small_one.test != nullptr && small_one.dtype == DType::f32))
      continue;
    for (const DType d : harness::dtypes_of(op, c)) {
      if ((!type.empty() && type != name(d)) || (small_one.test != nullptr && d != DType::f32))
        continue;
      const std::optional<Case> small =
          wanted.empty() ? smaller(op, c, d) : smaller_if_asked(op, c, d);
      if (!small) {
        too_large = c.name;
        continue;
      }
      const std::string no =
          rung.supports(args_without_data(harness::make_plan(op, *small, d)).get());
      if (no.empty())
        small_one = {&c, d, small};
      else if (!wanted.empty())
        why = no;
    }
  }
  if (small_one.test != nullptr) return small_one;
  ChosenCase best;
  std::pair<int, double> best_score{-1, 0};
  for (const Case& c : op.cases) {
    if (c.bench || !is_wanted(c)) continue;
    for (const DType d : harness::dtypes_of(op, c)) {
      if (!type.empty() && type != name(d)) continue;
      const harness::Plan plan = harness::make_plan(op, c, d);
      if (const std::string no = rung.supports(args_without_data(plan).get()); !no.empty()) {
        why = no;
        continue;
      }
      const double bytes = static_cast<double>(plan.input_bytes + plan.output_bytes);
      const double flops = op.cost(harness::ArgsBlob(plan).get()).flops;
      const bool quick = bytes <= (32 << 20) && flops <= 4e7;
      if ((!quick || bytes == 0) && wanted.empty()) continue;
      bool even = true, aligned = true, many = true;
      for (const harness::TensorPlan& t : plan.tensors) {
        if (!t.present || t.shape.empty()) continue;
        even = even && t.shape.back() % 32 == 0;
        aligned = aligned && t.offset == 0 && t.layout == Layout::rows;
        if (t.shape.size() > 1) many = many && t.size >= 64 * t.shape.back() && t.size > 0;
      }
      const std::pair<int, double> score{
          (even ? 4 : 0) + (aligned ? 4 : 0) + (many ? 2 : 0) + (d == DType::f32 ? 1 : 0), bytes};
      if (best.test == nullptr || score > best_score) {
        best = {&c, d};
        best_score = score;
      }
    }
  }
  if (best.test == nullptr && why.empty() && !wanted.empty() && !too_large.empty())
    throw Refusal(
        fmt::format("case '{}' of {} is too large to be counted on this CPU, and has sizes that "
                    "cannot be halved",
                    too_large, op.contract.name()));
  if (best.test == nullptr)
    throw Refusal(why.empty() ? unknown_case(op, wanted, type) : "no case fits: " + why);
  return best;
}

namespace {

// The build left a type out that is needed: it is to be for `only` that one, or for all of them (empty).
struct TypeMissing {
  std::string only;
};

// "ended with status 3", "was ended by signal 6"
std::string ending(int status) {
  return status > 128 ? fmt::format("was ended by signal {}", status - 128)
                      : fmt::format("ended with status {}", status);
}

struct Counted {
  nlohmann::json counts;
  int status = 0;  // of the program
};

// `name`: how the program is called in messages.
Counted run_counted(const std::vector<std::string>& command, const std::string& name, int blocks,
                    bool one_type = false) {
  harness::TemporaryFolder folder;
  const fs::path file = folder.file("xray.json");
  setenv("SIMT_XRAY_JSON", file.c_str(), 1);
  if (blocks > 0) setenv("SIMT_XRAY_BLOCKS", std::to_string(blocks).c_str(), 1);
  const harness::CommandResult result = harness::run_command(command);
  unsetenv("SIMT_XRAY_JSON");
  if (one_type && result.output.find("no kernel for dtype") != std::string::npos)
    throw TypeMissing{""};
  if (!fs::exists(file)) {
    const std::string why = result.status > 128
                                ? "it " + ending(result.status) + " before it could write them"
                                : "it launches no kernel that was built by `cc --xray`, or takes "
                                  "the counts itself (simt::take_counts)";
    throw Refusal(fmt::format("{} counted nothing: {}{}", name, why,
                              result.output.empty() ? "" : ". It says:\n" + result.output));
  }
  return {nlohmann::json::parse(read_text(file)), result.status};
}

std::string compiler(const harness::Places& places) {
  return (places.program.parent_path() / "warpath-cc").string();
}

struct BuiltRung {
  fs::path library;
  std::string one_float;  // the only type it is built for; empty: all
};

// How far the proportions of two cases are apart, in factors of four: one that is larger in all sizes alike is not.
double shape_distance(const Case& a, const Case& b) {
  std::vector<double> ratios;
  for (const auto& [dim, extent] : a.dims)
    if (const auto other = b.dims.find(dim); other != b.dims.end())
      ratios.push_back(std::log((1.0 + extent) / (1.0 + other->second)));
  double mean = 0, distance = 0;
  for (const double r : ratios) mean += r / static_cast<double>(ratios.size());
  for (const double r : ratios) distance += std::abs(r - mean);
  return std::round(distance / std::log(4));
}

// A timed case that it takes: of the type that is counted where there is one, and then of the most similar proportions.
XrayTimed other_timed(const harness::Places& places, const Op& op, const Rung& rung,
                      const Case& counted, DType dtype) {
  const Case* found = nullptr;
  DType type = dtype;
  std::pair<bool, double> nearest;
  for (const Case& c : op.cases) {
    if (!c.bench) continue;
    for (const DType d : harness::dtypes_of(op, c)) {
      const std::pair<bool, double> distance{d != dtype, shape_distance(c, counted)};
      if ((found != nullptr && distance >= nearest) ||
          !rung.supports(args_without_data(harness::make_plan(op, c, d)).get()).empty())
        continue;
      found = &c;
      type = d;
      nearest = distance;
    }
  }
  return found != nullptr ? record_timed(places, op, rung, *found, type) : XrayTimed{};
}

Xray count_case(const harness::Places& places, const OpEntry& e, const Rung& rung,
                const fs::path& source, const BuiltRung& built, const ChosenCase& chosen,
                const Options& o) {
  Xray x;
  x.title = fmt::format("{}/{}", e.name(), rung_name(source.string()));
  x.file = fs::canonical(source);
  const Case& run = chosen.small ? *chosen.small : *chosen.test;
  x.test = fmt::format("case '{}' in {}", chosen.test->name, name(chosen.dtype));
  if (chosen.small) {
    std::vector<std::string> dims;
    for (const auto& [dim, extent] : run.dims) dims.push_back(fmt::format("{} = {}", dim, extent));
    x.shape = fmt::format("made small: {}", fmt::join(dims, ", "));
  }
  const harness::Plan plan = harness::make_plan(*e.op, run, chosen.dtype);
  const Cost cost = e.op->cost(harness::ArgsBlob(plan).get());
  x.flops = cost.flops;
  x.least_bytes = static_cast<double>(cost.bytes);
  x.timed = chosen.small ? record_timed(places, *e.op, rung, *chosen.test, chosen.dtype)
                         : other_timed(places, *e.op, rung, *chosen.test, chosen.dtype);
  x.timed.grown = chosen.small.has_value();
  const Counted counted =
      run_counted({places.program.string(), "check", built.library.string(),
                   chosen.small ? "--smaller" : "--case", chosen.test->name, "--dtype",
                   std::string(name(chosen.dtype)), "--backend", "simt", "--no-fork", "--launches",
                   "1", "--source", source.string(), "--op", e.name()},
                  source.filename().string(), o.blocks, !built.one_float.empty());
  x.raw = counted.counts;
  if (counted.status != 0)
    x.note = fmt::format("its result is wrong on this case; ./warpath check {} {}{} says where",
                         e.name(), shell_word(source.string()), launch_words(o));
  return x;
}

// "f32", "f16" or "bf16": a type that a build can be narrowed to.
std::string one_float(DType d) {
  return d == DType::f32 || d == DType::f16 || d == DType::bf16 ? std::string(name(d)) : "";
}

// The type that a rung is most likely counted in: that of a rung which takes every case of its op.
std::string likely_float(const harness::Places& places, const std::string& op, const fs::path& file,
                         const Options& o) {
  const std::string folder = op.empty() ? file.parent_path().filename().string() : op;
  if (!registers_rung(file) || !harness::find_folder(places.root, folder)) return "";
  Rung any;
  any.supports = [](const void*) { return std::string(); };
  for (const OpEntry& e : find_ops(places, {folder}, "simt", RungSet::none)) {
    try {
      return one_float(choose_counted_case(*e.op, any, o).dtype);
    } catch (const Refusal&) {  // the case is of another op of the folder
    }
  }
  return "";
}

// Throws TypeMissing where it was built for too few types.
Xray count_built(const harness::Places& places, const Backend& backend, const BuiltRung& built,
                 const std::string& op, const fs::path& source, const Options& o) {
  const LearnerKernels own(places, backend, false, {built.library.string()});
  std::vector<OpEntry> ops = find_ops(places, own.ops(), backend.name, RungSet::none);
  own.join(ops);
  const auto count = [&](const OpEntry& e, const Rung& rung, const ChosenCase& chosen) {
    if (const std::string type = one_float(chosen.dtype);
        !built.one_float.empty() && !type.empty() && type != built.one_float)
      throw TypeMissing{type};
    return count_case(places, e, rung, source, built, chosen, o);
  };
  for (const OpEntry& e : ops) {
    if (!op.empty() && e.name() != op && e.folder != op) continue;
    for (const harness::Contestant& c : e.contestants) {
      if (fs::path(c.rung->file) != source) continue;
      const ChosenCase chosen = choose_counted_case(*e.op, *c.rung, o);
      Progress progress;
      progress.show(
          fmt::format("counting {} on {}", source.filename().string(), chosen.test->name));
      try {
        return count(e, *c.rung, chosen);
      } catch (const Refusal&) {
        if (!chosen.small) throw;
      }
      // Sizes that depend on each other cannot be halved one by one.
      return count(e, *c.rung, choose_counted_case(*e.op, *c.rung, o, false));
    }
  }
  throw Refusal(fmt::format("{} has no rung of {}", source.string(), op));
}

Xray xray_rung(const harness::Places& places, const std::string& op, const fs::path& file,
               const Options& o) {
  const Backend backend = choose_backend(places, "simt");
  harness::TemporaryFolder folder;
  const fs::path source = fs::absolute(file);
  PlainOptions plain{{}, o.kernel, {o.grid, o.block, o.shared}};
  if (!op.empty()) plain.ops = {op};
  std::string match;
  const auto build = [&](const std::string& one_float) {
    const fs::path kept = counted_library(places, source, one_float);
    if (!kept.empty() && fs::exists(kept)) return kept;
    Progress progress;
    progress.show("compiling " + file.string() + " to be counted");
    const fs::path library = folder.file(fmt::format("counted{}.so", one_float));
    match = build_kernel(places, backend, Build::xray, file, plain, library, one_float).match;
    return !kept.empty() && keep_counted_library(library, kept) ? kept : library;
  };
  // For one type, which is most often enough; then for the type that was missing; then for all.
  std::string type = likely_float(places, op, source, o);
  for (int attempt = 0; attempt < 2 && !type.empty(); ++attempt) {
    const BuiltRung built{build(type), type};
    try {
      return count_built(places, backend, built, op, source, o);
    } catch (const TypeMissing& missing) {
      type = missing.only;
    }
  }
  const BuiltRung built{build(""), ""};
  Xray x = count_built(places, backend, built, op, source, o);
  x.match = match;
  return x;
}

Xray xray_program(const harness::Places& places, const fs::path& file, const Options& o) {
  Xray x;
  x.title = file.filename().string();
  harness::TemporaryFolder folder;
  std::string program = fs::absolute(file).string();
  if (file.extension() == ".cu") {
    x.file = fs::canonical(file);
    program = folder.file("program").string();
    Progress progress;
    progress.show("compiling " + file.string() + " to be counted");
    const harness::CommandResult built =
        harness::run_command({compiler(places), "--xray", "-std=c++20", "--expt-relaxed-constexpr",
                              "-I" + places.root.string(), file.string(), "-o", program});
    if (built.status != 0)
      throw Refusal(fmt::format("{} does not compile:\n{}", file.string(), built.output));
  }
  const Counted counted = run_counted({program}, x.title, o.blocks);
  x.raw = counted.counts;
  if (counted.status != 0)
    x.note = fmt::format("it {}: the counts are of what ran until then", ending(counted.status));
  return x;
}

// What --json printed.
Xray saved_xray(const nlohmann::json& j) {
  Xray x;
  x.title = j.at("title");
  x.file = j.at("file").get<std::string>();
  x.test = j.at("case");
  x.shape = j.at("shape");
  x.note = j.value("note", "");
  x.flops = j.at("flops");
  x.least_bytes = j.at("least_bytes");
  if (const auto t = j.find("timed"); t != j.end()) {
    x.timed.test = t->at("case");
    x.timed.grown = !x.shape.empty();
    x.timed.flops = t->at("flops");
    x.timed.bytes = t->at("bytes");
    for (const nlohmann::json& l : t->at("launches"))
      x.timed.launches.push_back({l.at("blocks"), l.at("threads"), l.at("shared")});
  }
  x.raw = j.at("counts");
  return x;
}

// "8 of 512 blocks were counted, evenly over the grid"; empty: all.
std::string of_blocks(const std::vector<XrayLaunch>& launches) {
  double counted = 0, all = 0;
  for (const XrayLaunch& l : launches) {
    counted += l.launches * l.blocks_counted;
    all += l.launches * l.blocks;
  }
  return counted < all ? fmt::format("{} of {} blocks were counted, evenly over the grid",
                                     short_count(counted), short_count(all))
                       : "";
}

// Few elements that are indexed once: ptxas may select among registers instead. Where nvcc was asked, its stack frame tells.
void drop_arrays_in_registers(Xray& x) {
  std::erase_if(x.all_waste, [&](const XrayWaste& w) {
    const PtxasFacts facts = x.facts(w.kernel);
    return w.kind == "local memory" && facts.registers > 0 && facts.stack <= facts.spill_stores;
  });
}

}  // namespace

const GpuFacts& gpu_of(const std::string& word) {
  const auto plain = [](std::string_view text) {
    std::string small;
    for (const char c : text)
      if (c != ' ' && c != '-' && c != '_')
        small += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return small;
  };
  std::vector<std::string> names;
  for (const GpuFacts& g : gpu_facts) {
    if (plain(g.name) == plain(word)) return g;
    names.emplace_back(g.name);
  }
  throw Refusal(did_you_mean("GPU", word, names));
}

PtxasFacts Xray::facts(const std::string& kernel) const {
  return facts_of(ptxas, kernel);
}

Xray take_xray(const harness::Places& places, const std::string& word, const std::string& op,
               const Options& o) {
  Xray x;
  const bool is_file =
      word.ends_with(".cu") || word.ends_with(".json") || fs::is_regular_file(word);
  if (word.ends_with(".json")) {
    x.title = word;
    x.raw = nlohmann::json::parse(read_text(word), nullptr, false);
    if (x.raw.is_object() && x.raw.contains("counts")) x = saved_xray(x.raw);
    if (x.raw.is_discarded() || !x.raw.contains("launches"))
      throw Refusal(fmt::format("{} holds no counts of `cc --xray`", word));
  } else if (!fs::exists(word) && (is_file || word.starts_with("./") || word.starts_with("../") ||
                                   word.starts_with("/"))) {
    throw Refusal(no_file(word));
  } else if (is_file && !word.ends_with(".cu") && !op.empty()) {
    throw Refusal(
        fmt::format("xray: {} is a program; --op is for a .cu file with a kernel of the op", word));
  } else if (is_file && (!word.ends_with(".cu") || (op.empty() && has_main(word)))) {
    x = xray_program(places, word, o);
  } else if (is_file) {
    x = xray_rung(places, op, word, o);
  } else {
    const auto slash = word.rfind('/');
    if (slash == word.npos && !harness::find_folder(places.root, word))
      throw Refusal(did_you_mean("op", word, known_names(places)));
    if (slash == word.npos)
      throw Refusal(fmt::format("xray: which rung of {0}? `./warpath xray {0}/01`", word));
    const std::string of = word.substr(0, slash);
    x = xray_rung(places, of, rung_file(places, of, word.substr(slash + 1)), o);
  }
  x.launches = read_xray(x.raw, x.file.string());
  if (x.launches.empty()) throw Refusal(fmt::format("{}: its kernels touch no memory", x.title));
  if (const std::string sampled = of_blocks(x.launches);
      x.note.find(sampled) == x.note.npos)  // what was saved has it
    x.note += (x.note.empty() ? "" : "; ") + sampled;
  if (!x.file.empty() && o.registers) x.ptxas = registers_of(places, x.file);
  const XrayNeeds needs{.least_bytes = x.least_bytes,
                        .flops = x.flops,
                        .tensor_cores = x.test.ends_with("f16"),
                        .tf32 = x.test.ends_with("f32"),
                        .timed = x.timed,
                        .gpu = &gpu_of(o.gpu),
                        .ptxas = x.ptxas};
  x.roof = roof_of(x.launches, needs);
  x.all_waste = find_all_waste(x.launches, needs);
  drop_arrays_in_registers(x);
  x.waste = worth_saying(x.all_waste);
  return x;
}

}  // namespace warpath::cli
