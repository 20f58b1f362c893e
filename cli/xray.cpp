// warpath xray: why a kernel is slow, line by line, from a run on this CPU.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>

#include "cli/command.h"
#include "cli/gpu_facts.h"
#include "cli/ladder_files.h"
#include "cli/op_names.h"
#include "cli/report.h"
#include "cli/source_digest.h"
#include "cli/terminal.h"
#include "cli/xray_counts.h"
#include "cli/xray_page.h"
#include "cli/xray_run.h"
#include "cli/xray_summary.h"

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace warpath::cli {
namespace {

constexpr const char* xray_examples = R"(
Examples:
  ./warpath xray softmax/01_naive                 a rung: three sentences, its source with counts, the table
  ./warpath xray softmax/01_naive --compare 03    two rungs side by side
  ./warpath xray mine.cu --op softmax             your own kernel, on a case of the op
  ./warpath xray program.cu                       a whole program
  ./warpath cc --xray program.cu -o a && ./warpath xray ./a
  ./warpath xray transpose/02 --html page.html    the same as one page, with pictures
  ./warpath xray matmul/03 --case 4096 --blocks 8 --gpu A100

The kernel runs here, and its accesses are counted: exact counts under the names of Nsight Compute, no times.
docs/xray.md explains each of them. Exit status: 0 done, 2 the command was wrong or a part is missing.)";

// --- text ------------------------------------------------------------------------------------------------------------

// Of registers, spills and local arrays; `registers` is 0 where they are unknown.
std::string ptxas_text(const Xray& x, const std::string& kernel, int& registers) {
  const PtxasFacts facts = x.facts(kernel);
  registers = facts.registers;
  if (registers == 0) return "registers and spills unknown (nvcc tells)";
  std::string text = fmt::format("{} registers per thread", registers);
  text += facts.spill_loads + facts.spill_stores > 0
              ? fmt::format(", spills of {} bytes stored and {} loaded", facts.spill_stores,
                            facts.spill_loads)
              : ", no spills";
  if (const int arrays = facts.stack - facts.spill_stores; arrays > 0)
    text += fmt::format(", {} bytes of local arrays", arrays);
  return text;
}

// "0.63 flops per byte: on an H200 bound by memory (the ridge of fp32 is at 14)"
std::string under_roof(const Xray& x, double flops_per_byte, const GpuFacts& gpu) {
  return fmt::format("{:.2g} flops per byte: on {} bound by {} (the ridge of {} is at {:.0f})",
                     flops_per_byte, with_article(gpu), x.roof.bound_by(flops_per_byte),
                     x.roof.tensor_cores ? "its tensor cores" : "fp32", x.roof.ridge);
}

std::string bound_by(const Xray& x, const XrayLaunch& l, const GpuFacts& gpu) {
  const double moved = l.bytes_moved(), needed = l.bytes_needed();
  std::string text = fmt::format("moves {} through L1", short_bytes(moved));
  if (needed > 0)
    text += fmt::format(", {} of different sectors ({:.1f}x)", short_bytes(needed), moved / needed);
  if (x.flops > 0 && needed > 0 && x.launches.size() == 1)
    text += "; " + under_roof(x, x.flops / needed, gpu);
  return text;
}

std::string mark(const XrayAccess& a) {
  const std::string label = a.shared()     ? (a.atomic()  ? "atoms"
                                              : a.loads() ? "lds"
                                                          : "sts")
                            : a.constant() ? "ldc"
                            : a.local()    ? (a.loads() ? "ldl" : "stl")
                            : a.atomic()   ? "red"
                            : a.bulk()     ? "bulk"
                            : a.loads()    ? "ld"
                                           : "st";
  if (a.bulk()) return label;
  return fmt::format("{} {:.3g}", label, a.cost());
}

bool is_wasteful(const XrayAccess& a) {
  return a.cost() > 1.15 * std::max(1.0, a.least());
}

// The lines of each file from the first to the last with a count, and two around them.
void print_source(const Xray& x) {
  std::map<std::string, std::map<int, std::vector<const XrayAccess*>>> files;
  std::map<std::pair<std::string, int>, double> barriers, splits;
  for (const XrayLaunch& l : x.launches) {
    for (const XrayCode& c : l.code) {
      if (c.share_that_splits() < least_split) continue;
      double& most = splits[{fs::path(c.file).filename().string(), c.line}];
      most = std::max(most, c.share_that_splits());
    }
    for (const XrayAccess& a : l.accesses)
      if (a.line > 0) files[a.file][a.line].push_back(&a);
    for (const auto& b : l.barrier_lines) {
      double& most = barriers[{fs::path(b.file).filename().string(), b.line}];
      most = std::max(most, b.times / l.blocks_counted);
    }
  }
  for (const auto& [file, lines] : files) {
    std::ifstream in(file);
    if (!in) continue;
    fmt::print("\n{}\n", paint(Tone::strong, fs::path(file).filename().string()));
    const int first = std::max(1, lines.begin()->first - 2), last = lines.rbegin()->first + 2;
    std::string text;
    for (int n = 1; n <= last && std::getline(in, text); ++n) {
      if (n < first) continue;
      std::string gutter;
      bool bad = false;
      if (const auto found = lines.find(n); found != lines.end()) {
        std::set<std::string> said;
        for (const XrayAccess* a : found->second) {
          bad = bad || is_wasteful(*a);
          if (said.insert(mark(*a)).second) gutter += (gutter.empty() ? "" : "  ") + mark(*a);
        }
      }
      if (const auto b = barriers.find({fs::path(file).filename().string(), n});
          b != barriers.end())
        gutter += fmt::format("{}bar {:.3g}", gutter.empty() ? "" : "  ", b->second);
      if (const auto c = splits.find({fs::path(file).filename().string(), n}); c != splits.end())
        gutter += fmt::format("{}split {:.0f}%", gutter.empty() ? "" : "  ", 100 * c->second);
      const std::string cell = fmt::format("{:>22}", gutter);
      fmt::print("{} {:>4} | {}\n", bad ? paint(Tone::bad, cell) : cell, n, text);
    }
  }
}

// What has no column of its own.
std::string notes(const XrayAccess& a) {
  std::vector<std::string> said;
  if (a.constant()) said.push_back(fmt::format("'{}': {:.1f} addresses", a.array, a.cost()));
  if (a.local()) said.push_back(fmt::format("local array '{}'", a.array));
  if (a.space == "global" && a.loads() && a.first_touches < 0.95 * a.sectors && !a.bulk())
    said.push_back(fmt::format("{:.0f}% read again", 100 * (1 - a.first_touches / a.sectors)));
  if (a.misaligned > 0 && a.requests > 0)
    said.push_back(fmt::format("{:.0f}% begin inside a sector", 100 * a.misaligned / a.requests));
  if (a.atomic() && a.requests > 0)
    said.push_back(fmt::format("{:.1f} lanes on one address", a.on_one_address / a.requests));
  return fmt::format("{}", fmt::join(said, "; "));
}

void print_table(const XrayLaunch& l) {
  Table table({"line", "access", "requests", "sectors", "per request", "least", "wavefronts",
               "per request", "least", "bytes", "lanes", ""},
              "llrrrrrrrrrl");
  std::map<std::tuple<std::string, int, std::string, std::string, int>, XrayAccess> rows;
  for (const XrayAccess& a : l.accesses) {
    XrayAccess& r = rows[{a.file, a.line, a.space, a.kind, a.bytes}];
    if (r.requests == 0) {
      r = a;
      continue;
    }
    for (const auto member :
         {&XrayAccess::requests, &XrayAccess::lanes, &XrayAccess::sectors,
          &XrayAccess::least_sectors, &XrayAccess::wavefronts, &XrayAccess::least_wavefronts,
          &XrayAccess::bytes_asked, &XrayAccess::misaligned, &XrayAccess::on_one_address,
          &XrayAccess::addresses, &XrayAccess::first_touches})
      r.*member += a.*member;
  }
  for (const auto& [key, a] : rows) {
    const bool s = a.shared(), c = a.constant();
    const std::string per = fmt::format("{:.1f}", a.cost()),
                      least = fmt::format("{:.1f}", a.least());
    const Tone tone = is_wasteful(a) ? Tone::bad : Tone::plain;
    table.add(
        {{a.line > 0 ? fmt::format("{}:{}", fs::path(a.file).filename().string(), a.line) : "?"},
         {fmt::format("{} {}{}", a.space, a.kind, a.inside.empty() ? "" : " in " + a.inside)},
         {short_count(a.requests)},
         {s || c ? "" : short_count(a.sectors)},
         {s ? "" : per, tone},
         {s ? "" : least},
         {s ? short_count(a.wavefronts) : ""},
         {s ? per : "", tone},
         {s ? least : ""},
         {a.bulk() ? short_bytes(a.bytes_asked) : std::to_string(a.bytes)},
         {fmt::format("{:.1f}", a.lanes_per_request())},
         {notes(a), Tone::dim}});
  }
  table.print();
}

void print_launch(const Xray& x, const XrayLaunch& l, const GpuFacts& gpu) {
  fmt::print("\n{} <<<({}, {}, {}), ({}, {}, {})>>>{}{}\n", paint(Tone::strong, l.kernel),
             l.grid[0], l.grid[1], l.grid[2], l.block[0], l.block[1], l.block[2],
             l.launches > 1 ? fmt::format(", {:.0f} launches", l.launches) : "",
             l.blocks_counted < l.blocks
                 ? fmt::format(", {:.0f} of {:.0f} blocks counted", l.blocks_counted, l.blocks)
                 : "");
  fmt::print("  {}\n", bound_by(x, l, gpu));
  int registers = 0;
  const std::string said = ptxas_text(x, l.kernel, registers);
  const Occupancy o = occupancy(gpu, l.threads(), l.shared_bytes(), registers);
  fmt::print(
      "  {} threads, {} of shared memory per block, {}: {} {} holds {} blocks, {:.0f}% of its "
      "threads{}, limited by {}\n",
      l.threads(), short_bytes(static_cast<double>(l.shared_bytes())), said,
      "a multiprocessor of the", gpu.name, o.blocks, 100 * o.share, registers > 0 ? "" : " at most",
      o.limit);
  fmt::print(
      "  {:.1f} of 32 lanes active per instruction; {:.1f} barriers per thread; {} warp "
      "operations; the busiest warp of a block does {:.1f}x as much as the average one\n\n",
      l.active_lanes(), l.blocks_counted > 0 ? l.barriers / l.blocks_counted : 0,
      short_count(l.warp_operations), l.unevenness());
  print_table(l);
}

// All launches of an op together: "it moves 8.0x the bytes it must".
void print_whole(const Xray& x, const GpuFacts& gpu) {
  const KeyCounts k = key_counts(x);
  if (k.least <= 0) return;
  fmt::print("  In all it moves {} through L1, {:.1f}x the {} that it must", short_bytes(k.moved),
             k.moved / k.least, short_bytes(k.least));
  if (x.flops > 0)
    fmt::print("; {} flops, {}", short_count(x.flops), under_roof(x, x.flops / k.least, gpu));
  if (!x.match.empty() && k.moved < 0.95 * k.least)
    fmt::print(
        ". So in this launch it does not do the whole work: --grid, --block, or `check` tells why");
  fmt::print(".\n");
}

void print(const Xray& x, const GpuFacts& gpu) {
  fmt::print("{}{}\n", paint(Tone::strong, x.title),
             x.test.empty() ? "" : ", " + x.test + (x.shape.empty() ? "" : " (" + x.shape + ")"));
  if (!x.note.empty()) fmt::print("  {}\n", paint(Tone::note, "note: " + x.note));
  if (!x.match.empty()) fmt::print("{}\n", paint(Tone::dim, x.match));
  print_sentences(x);
  print_whole(x, gpu);
  print_source(x);
  fmt::print("{}\n", paint(Tone::dim,
                           "  ld, st: sectors per request of global memory; lds, sts: wavefronts "
                           "per request of shared memory; ldl, stl: sectors of local memory; ldc: "
                           "addresses of constant memory; bar: barriers of each thread; split: how "
                           "often a warp's lanes go on apart"));
  for (const XrayLaunch& l : x.launches) print_launch(x, l, gpu);
  print_totals(x);
}

ordered_json data_of(const Xray& x, const GpuFacts& gpu) {
  ordered_json j = {{"title", x.title}, {"file", x.file.string()}, {"case", x.test},
                    {"shape", x.shape}, {"flops", x.flops},        {"least_bytes", x.least_bytes}};
  if (const std::string source = SourceDigests(harness::find_places().root).of(x.file.string());
      !source.empty())
    j["source"] = source;
  if (!x.note.empty()) j["note"] = x.note;
  j["totals"] = totals_json(x);
  j["key"] = to_json(key_counts(x));
  for (const XrayWaste& w : x.waste)
    j["waste"].push_back({{"kind", w.kind},
                          {"file", w.file},
                          {"line", w.line},
                          {"kernel", w.kernel},
                          {"bytes", w.bytes},
                          {"sentence", w.sentence},
                          {"share", w.share},
                          {"cycles", w.weight},
                          {"lesson", w.page()}});
  if (x.waste.empty()) j["waste"] = ordered_json::array();
  j["left"] = what_is_left(x.all_waste);
  if (x.flops > 0 && x.least_bytes > 0)
    j["roof"] = {{"gpu", gpu.name},
                 {"of", x.roof.name()},
                 {"tflops", x.roof.tflops},
                 {"ridge", x.roof.ridge},
                 {"flops_per_byte", x.flops / x.least_bytes},
                 {"bound_by", x.roof.bound_by(x.flops / x.least_bytes)}};
  if (const fs::path next = next_on_ladder(harness::find_places().root, x.file); !next.empty())
    j["next"] = {{"rung", rung_name(next.string())}, {"says", head_line(next)}};
  // Cycles of a multiprocessor by kind: what a change saved shows as a difference.
  j["cycles"] = ordered_json::object();
  for (const XrayWaste& w : x.all_waste)
    j["cycles"][w.kind] = j["cycles"].value(w.kind, 0.0) + w.weight;
  if (x.timed.known()) {
    j["timed"] = {{"case", x.timed.test}, {"flops", x.timed.flops}, {"bytes", x.timed.bytes}};
    for (const XrayTimedLaunch& l : x.timed.launches)
      j["timed"]["launches"].push_back(
          {{"blocks", l.blocks}, {"threads", l.threads}, {"shared", l.shared}});
  }
  for (const XrayLaunch& l : x.launches) {
    const PtxasFacts facts = x.facts(l.kernel);
    const int registers = facts.registers;
    const Occupancy o = occupancy(gpu, l.threads(), l.shared_bytes(), registers);
    ordered_json k = {{"kernel", l.kernel},
                      {"gpu", gpu.name},
                      {"blocks_per_multiprocessor", o.blocks},
                      {"occupancy", o.share},
                      {"limited_by", o.limit}};
    const auto known = [&](int n) {
      return registers > 0 ? ordered_json(n) : ordered_json(nullptr);
    };
    k["registers"] = known(registers);
    k["spill_bytes_stored"] = known(facts.spill_stores);
    k["spill_bytes_loaded"] = known(facts.spill_loads);
    k["stack_bytes"] = known(facts.stack);
    j["occupancy"].push_back(std::move(k));
  }
  j["counts"] = x.raw;
  return j;
}

// "case 'square' in f32": the same work for another kernel.
Options on_same_case(const Options& o, const Xray& x) {
  Options same = o;
  if (const auto quote = x.test.find('\''); quote != x.test.npos && o.cases.empty()) {
    same.cases = {x.test.substr(quote + 1, x.test.rfind('\'') - quote - 1)};
    same.dtypes = {x.test.substr(x.test.rfind(' ') + 1)};
  }
  return same;
}

// The rungs before and after one of an op, on the same case, where they take it.
std::vector<Xray> neighbours(const harness::Places& places, const Xray& x, const Options& o) {
  const std::vector<fs::path> ladder = ladder_of(x.file);
  const auto at = std::find(ladder.begin(), ladder.end(), x.file) - ladder.begin();
  Options same = on_same_case(o, x);
  same.registers = false;
  std::vector<Xray> found;
  for (const auto i : {at - 1, at + 1}) {
    if (i < 0 || i >= std::ssize(ladder)) continue;
    try {
      found.push_back(take_xray(places, ladder[static_cast<std::size_t>(i)].string(),
                                x.title.substr(0, x.title.find('/')), same));
    } catch (const Refusal&) {
    }
  }
  return found;
}

XrayPagePart page_part(const Xray& x, const GpuFacts& gpu) {
  const bool is_known = x.flops > 0 && x.least_bytes > 0;
  return {x.title,
          x.test + (x.shape.empty() ? "" : " (" + x.shape + ")") +
              (x.note.empty() ? "" : (x.test.empty() ? "" : "; ") + x.note),
          x.file.string(),
          x.flops,
          x.launches,
          x.waste,
          what_is_left(x.all_waste),
          next_rung(x),
          x.roof,
          is_known ? under_roof(x, x.flops / x.least_bytes, gpu) : ""};
}

int xray(const Options& o) {
  const harness::Places places = harness::find_places();
  const GpuFacts& gpu = gpu_of(o.gpu);
  std::vector<std::string> words = o.names;
  std::string op = o.op;
  // `xray softmax mine.cu`, as check has it.
  if (words.size() == 2 && op.empty() && words[1].ends_with(".cu")) {
    op = words[0];
    words.erase(words.begin());
  }
  if (words.size() > 1 && fs::is_regular_file(words[0]) && !words[0].ends_with(".cu"))
    throw Refusal(
        fmt::format("xray: {0} takes no words of its own here; run it as it is, and then ./warpath "
                    "xray xray.json",
                    words[0]));
  if (words.size() != 1) throw Refusal("xray: one rung, file or program; two rungs with --compare");
  const Xray x = take_xray(places, words[0], op, o);
  std::optional<Xray> other;
  if (!o.compare.empty()) {
    const auto slash = words[0].rfind('/');
    const bool is_name = o.compare.find('/') == o.compare.npos && !o.compare.ends_with(".cu");
    const bool of_rung = slash != words[0].npos && !words[0].ends_with(".cu");
    const Options same = on_same_case(o, x);
    other = take_xray(places,
                      is_name && of_rung ? words[0].substr(0, slash + 1) + o.compare : o.compare,
                      op, same);
  }
  if (!o.html.empty()) {
    std::vector<XrayPagePart> parts = {page_part(x, gpu)};
    if (other)
      parts.push_back(page_part(*other, gpu));
    else if (!x.file.empty() && !x.test.empty())
      for (const Xray& near : neighbours(places, x, o)) parts.push_back(page_part(near, gpu));
    write_xray_page(o.html, parts, gpu, places.root);
    if (!o.json) fmt::print("{}\n", o.html);
  }
  if (o.json) {
    ordered_json j = data_of(x, gpu);
    if (other) j["compared_with"] = data_of(*other, gpu);
    print_json(j);
  } else if (other) {
    print_comparison(x, *other);
  } else if (o.html.empty()) {
    print(x, gpu);
  }
  return all_passed;
}

}  // namespace

const Command xray_command = {
    "xray", "why a kernel is slow, line by line, without a GPU", xray_examples,
    [](Flags& flags, Options& o) {
      flags.words("what", o.names,
                  "OP/RUNG, a .cu file, a program built by `cc --xray`, or its xray.json", true);
      flags.text("--op", o.op, "OP", "the op that a file's kernel is of");
      flags.list("--case", o.cases, false, "C", "the case to run: a name or the start of one");
      flags.list("--dtype", o.dtypes, true, "D", "its type: f32, f16, bf16, i32 …");
      flags.text("--compare", o.compare, "R", "a second rung or file, side by side");
      flags.text("--html", o.html, "FILE", "one page with pictures; needs no network");
      flags.text("--gpu", o.gpu, "GPU",
                 "whose limits and roofline: H200, H100, A100, RTX 4090, RTX 3060, T4, Orin");
      flags.count("--blocks", o.blocks,
                  "count this many blocks of each launch, evenly over the grid (default: all)");
      flags.yes("!--no-registers", o.registers, "do not ask nvcc for the number of registers");
      flags.text("--kernel", o.kernel, "K", "of a file with several kernels: which one");
      flags.text("--grid", o.grid, "G", "of a plain kernel: its grid, as `check` has it");
      flags.text("--block", o.block, "B", "and its block");
      flags.text("--shared", o.shared, "S", "and its bytes of dynamic shared memory");
      add_json_flag(flags, o);
    },
    xray};

}  // namespace warpath::cli
