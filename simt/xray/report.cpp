// What was counted, as JSON. docs/xray.md lists its fields.

#include "report.h"

#include <simt/json_text.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <set>
#include <string_view>
#include <utility>

#include "arithmetic.h"
#include "block.h"
#include "source.h"

namespace simt::xray {
namespace {

std::mutex mutex;
std::vector<LaunchCounts>& launches() {
  static auto* const all = new std::vector<LaunchCounts>;
  return *all;
}

bool is_same(const uint3& a, const uint3& b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}
bool is_same(const LaunchCounts& a, const LaunchCounts& b) {
  return a.identity == b.identity && a.kernel == b.kernel && is_same(a.grid, b.grid) &&
         is_same(a.block, b.block) && a.dynamic_shared == b.dynamic_shared;
}

bool kept_for_host = false;

class Writer {
 public:
  Writer& name(const char* key) {
    comma();
    out += json_quoted(key) + ": ";
    fresh_ = true;
    return *this;
  }
  void text(const char* key, const std::string& value) {
    name(key);
    out += json_quoted(value);
    fresh_ = false;
  }
  void number(const char* key, long long value) {
    name(key);
    out += std::to_string(value);
    fresh_ = false;
  }
  void value(long long n) {
    comma();
    out += std::to_string(n);
  }
  void open(char bracket) {
    comma();
    out += bracket;
    fresh_ = true;
  }
  void close(char bracket) {
    out += bracket;
    fresh_ = false;
  }
  std::string out;

 private:
  void comma() {
    if (!fresh_) out += ", ";
    fresh_ = false;
  }
  bool fresh_ = true;
};

const char* name_of(Space space) {
  switch (space) {
    case Space::global:
      return "global";
    case Space::shared:
      return "shared";
    case Space::local:
      return "local";
    case Space::constant:
      return "constant";
    case Space::cluster:
      return "cluster";
  }
  return "";
}
const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::load:
      return "load";
    case Kind::store:
      return "store";
    case Kind::atomic:
      return "atomic";
    case Kind::async_load:
      return "async_load";
    case Kind::bulk_load:
      return "bulk_load";
    case Kind::bulk_store:
      return "bulk_store";
    case Kind::code:
      return "code";
  }
  return "";
}

void write_uint3(Writer& w, const char* key, const uint3& v) {
  w.name(key).open('[');
  for (const unsigned n : {v.x, v.y, v.z}) w.value(n);
  w.close(']');
}

void write_samples(Writer& w, const AccessCounts& c) {
  w.name("samples").open('[');
  for (const Sample& s : c.samples) {
    w.open('{');
    w.number("block", static_cast<long long>(s.block));
    w.number("warp", s.warp);
    w.number("iteration", static_cast<long long>(s.iteration));
    w.number("mask", s.access.mask);
    // From the lowest one's line of 128 bytes on: where that is does not matter.
    std::uint64_t lowest = ~std::uint64_t{0};
    for (std::uint32_t m = s.access.mask; m != 0; m &= m - 1)
      lowest = std::min(lowest, s.access.address[static_cast<unsigned>(__builtin_ctz(m))]);
    const bool in_array = c.space == Space::local || c.space == Space::constant;
    const std::uint64_t base = c.space == Space::shared ? 0
                               : in_array               ? lowest >> array_shift << array_shift
                                                        : lowest & ~std::uint64_t{127};
    w.name("offsets").open('[');
    for (std::uint32_t m = s.access.mask; m != 0; m &= m - 1)
      w.value(
          static_cast<long long>(s.access.address[static_cast<unsigned>(__builtin_ctz(m))] - base));
    w.close(']');
    w.close('}');
  }
  w.close(']');
}

void write_frames(Writer& w, const Frames& frames) {
  w.name("lines").open('[');
  for (const Line& line : frames) {
    w.open('{');
    w.text("file", line.file);
    w.number("line", line.line);
    w.close('}');
  }
  w.close(']');
}

void write_access(Writer& w, const AccessCounts& c, const Frames& frames) {
  w.open('{');
  write_frames(w, frames);
  if (!frames.empty()) w.text("text", text_of(frames.front()));
  w.text("space", name_of(c.space));
  w.text("kind", name_of(c.kind));
  w.number("bytes_per_lane", c.size);
  w.number("requests", static_cast<long long>(c.requests));
  w.number("lanes", static_cast<long long>(c.lanes));
  w.number("bytes_asked", static_cast<long long>(c.bytes_asked));
  if (c.space == Space::shared) {
    w.number("wavefronts", static_cast<long long>(c.wavefronts));
    w.number("least_wavefronts", static_cast<long long>(c.ideal));
  } else if (c.space == Space::constant) {
    w.number("addresses", static_cast<long long>(c.addresses));
  } else if (c.space == Space::local) {
    w.number("sectors", static_cast<long long>(c.sectors));
    w.number("least_sectors", static_cast<long long>(c.least));
    w.number("addresses", static_cast<long long>(c.addresses));
  } else {
    w.number("sectors", static_cast<long long>(c.sectors));
    w.number("least_sectors", static_cast<long long>(c.least));
    w.number("first_touches", static_cast<long long>(c.fresh));
    w.number("misaligned", static_cast<long long>(c.misaligned));
  }
  if (c.array != nullptr) w.text("array", c.array);
  w.number("worst", c.worst);
  if (c.kind == Kind::atomic) w.number("lanes_on_one_address", static_cast<long long>(c.meetings));
  if (!c.strides_differ && c.stride != no_stride) w.number("stride", c.stride);
  write_samples(w, c);
  w.close('}');
}

void write_timeline(Writer& w, const LaunchCounts& l) {
  w.name("timeline").open('[');
  const unsigned warps = std::min(32u, (l.block.x * l.block.y * l.block.z + 31) / 32);
  for (std::size_t i = 0; i < l.timeline.size(); ++i) {
    w.open('{');
    w.number("line", l.timeline_ends[i].line);
    w.name("warps").open('[');
    for (unsigned warp = 0; warp < warps; ++warp) w.value(l.timeline[i][warp]);
    w.close(']');
    w.close('}');
  }
  w.close(']');
}

// The basic block that an address is in, of those that were executed; nullptr: unknown.
using Times = std::map<const void*, std::uint64_t>;
const Times::value_type* block_of(const Times& blocks, const void* pc) {
  const auto behind = blocks.upper_bound(pc);
  return behind == blocks.begin() ? nullptr : &*std::prev(behind);
}

using Lines = std::map<const void*, Frames>;

// The file of the innermost function there, simt's headers and the C++ library's too; empty: unknown.
std::string innermost_file(const Lines& with_own, const void* pc) {
  const auto found = with_own.find(pc);
  return found == with_own.end() || found->second.empty() ? "" : found->second.front().file;
}

// Where lanes part, by the address before. Not at a branch of simt's headers or the C++ library's, such as in std::max: there
// a GPU has an instruction or a predicate.
std::map<const void*, const void*> branches_of_program(const LaunchCounts& l,
                                                       const CodeFacts& facts,
                                                       const Lines& with_own) {
  std::map<const void*, const void*> branches;
  for (const auto& [pc, c] : l.code) {
    if (c.splits == 0) continue;
    const auto branch = facts.branch.find(pc);
    const void* const at = branch != facts.branch.end() ? branch->second : pc;
    if (!is_own(innermost_file(with_own, at))) branches[pc] = at;
  }
  return branches;
}

// Basic blocks of simt's atomic operations, whose loops a GPU does not have: how often they turn depends on the OS.
std::set<const void*> blocks_of_atomics(const LaunchCounts& l, const Lines& with_own) {
  std::set<const void*> found;
  for (const auto& [pc, c] : l.code) {
    if (c.times == 0) continue;
    const std::string file = innermost_file(with_own, pc);
    if (is_own(file) && file.find("/simt/atomic") != file.npos) found.insert(pc);
  }
  return found;
}

// Without simt's headers and the C++ library's.
Lines lines_of_program(Lines lines) {
  for (auto& [pc, frames] : lines)
    std::erase_if(frames, [](const Line& line) { return is_own(line.file); });
  return lines;
}

// Where code is, as find_lines tells it, and the same in the program's own files.
struct Places {
  Lines with_own, lines;
};

// The blocks that have much of a launch's arithmetic: of those it is told line by line, of others by the line that they begin at.
std::map<const void*, const Arithmetic*> heavy_blocks(const LaunchCounts& l,
                                                      const CodeFacts& facts) {
  constexpr double much = 0.02;
  const auto done = [](const Arithmetic& a, const CodeCounts& c) {
    return a.instructions * static_cast<double>(c.times);
  };
  std::map<const void*, const Arithmetic*> heavy;
  double all = 0;
  for (const auto& [pc, c] : l.code)
    if (const auto a = facts.arithmetic.find(pc); a != facts.arithmetic.end())
      all += done(a->second, c);
  for (const auto& [pc, c] : l.code)
    if (const auto a = facts.arithmetic.find(pc);
        a != facts.arithmetic.end() && all > 0 && done(a->second, c) >= much * all)
      heavy[pc] = &a->second;
  return heavy;
}

// By line: how often warps executed its basic blocks, and with how many lanes; where it has a branch at which lanes part, how
// often that is, and how often they came there.
void write_code(Writer& w, const LaunchCounts& l, const Places& places,
                const std::map<const void*, const void*>& in_program, const CodeFacts& facts) {
  const Lines& lines = places.lines;
  struct Sum {
    std::uint64_t times = 0, lanes = 0, splits = 0, passes = 0;
    double arithmetic = 0;
  };
  std::map<std::pair<std::string, unsigned>, Sum> by_line;
  const auto sum_at = [&](const void* pc) -> Sum* {
    const auto found = lines.find(pc);
    if (found == lines.end() || found->second.empty()) return nullptr;
    const Line& line = found->second.front();
    return &by_line[{line.file, line.line}];
  };
  // In the file that its block begins in, where it is there or in a function that was inlined there.
  const auto sum_of_part = [&](const void* part, const void* block) -> Sum& {
    const Line& begin = lines.at(block).front();
    if (const auto found = lines.find(part); found != lines.end())
      for (const Line& line : found->second)
        if (line.file == begin.file) return by_line[{line.file, line.line}];
    return by_line[{begin.file, begin.line}];
  };
  const auto heavy = heavy_blocks(l, facts);
  const auto of_atomics = blocks_of_atomics(l, places.with_own);
  Times blocks;
  for (const auto& [pc, c] : l.code)
    if (c.times != 0) blocks[pc] = c.times;
  std::set<std::pair<const void*, const void*>> seen;  // branches and the blocks that lead there
  for (const auto& [pc, c] : l.code) {
    if (const auto branch = in_program.find(pc); branch != in_program.end()) {
      const void* const at = branch->second;
      Sum* sum = sum_at(at);
      if (sum == nullptr) sum = sum_at(pc);
      if (sum != nullptr) {
        sum->splits += c.splits;
        const auto* const block = block_of(blocks, pc);
        if (block != nullptr && seen.insert({at, block->first}).second)
          sum->passes += block->second;
      }
    }
    Sum* const sum = c.times != 0 ? sum_at(pc) : nullptr;
    if (sum == nullptr) continue;
    if (!of_atomics.contains(pc)) {
      sum->times += c.times;
      sum->lanes += c.lanes;
    }
    const auto times = static_cast<double>(c.times);
    if (const auto found = heavy.find(pc); found != heavy.end()) {
      for (const Arithmetic::Part& p : found->second->parts)
        sum_of_part(p.after, pc).arithmetic += p.instructions * times;
    } else if (const auto each = facts.arithmetic.find(pc); each != facts.arithmetic.end()) {
      sum->arithmetic += each->second.instructions * times;
    }
  }
  w.name("code").open('[');
  for (const auto& [place, sum] : by_line) {
    w.out += '\n';
    w.open('{');
    w.text("file", place.first);
    w.number("line", place.second);
    w.number("times", static_cast<long long>(sum.times));
    w.number("lanes", static_cast<long long>(sum.lanes));
    w.number("splits", static_cast<long long>(sum.splits));
    w.number("passes", static_cast<long long>(sum.passes));
    w.number("arithmetic", static_cast<long long>(sum.arithmetic));
    w.close('}');
  }
  w.close(']');
}

// All that the report names a line of.
std::vector<const void*> named_addresses(const std::vector<LaunchCounts>& all,
                                         const CodeFacts& facts) {
  std::vector<const void*> addresses;
  for (const LaunchCounts& l : all) {
    for (const auto& [pc, counts] : l.accesses) addresses.push_back(pc);
    for (const auto& [pc, counts] : l.code) {
      addresses.push_back(pc);
      const auto branch = facts.branch.find(pc);
      if (counts.splits != 0 && branch != facts.branch.end()) addresses.push_back(branch->second);
    }
    for (const auto& [pc, block] : heavy_blocks(l, facts))
      for (const Arithmetic::Part& part : block->parts) addresses.push_back(part.after);
  }
  std::sort(addresses.begin(), addresses.end());
  addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
  return addresses;
}

// Local arrays that lanes index differently. All others may be in registers: an unrolled loop's index is a constant.
std::set<std::string_view> indexed_arrays(const LaunchCounts& l) {
  std::set<std::string_view> names;
  for (const auto& [pc, c] : l.accesses)
    if (c.space == Space::local && c.unlike != 0) names.insert(c.array);
  return names;
}
bool is_in_memory(const AccessCounts& c, const std::set<std::string_view>& indexed) {
  return c.space != Space::local || indexed.count(c.array) != 0;
}

void write_launch(Writer& w, const LaunchCounts& l, const Places& places, const CodeFacts& facts) {
  w.open('{');
  w.text("kernel", l.kernel);
  write_uint3(w, "grid", l.grid);
  write_uint3(w, "block", l.block);
  w.number("launches", static_cast<long long>(l.launches));
  w.number("blocks", static_cast<long long>(l.blocks));
  w.number("blocks_counted", static_cast<long long>(l.blocks_counted));
  w.number("static_shared", static_cast<long long>(l.static_shared));
  w.number("dynamic_shared", static_cast<long long>(l.dynamic_shared));
  w.number("barriers", static_cast<long long>(l.barriers));
  w.number("waits", static_cast<long long>(l.waits));
  w.number("warp_operations", static_cast<long long>(l.warp_meets));
  const auto branches = branches_of_program(l, facts, places.with_own);
  std::uint64_t splits = 0;
  for (const auto& [pc, branch] : branches) splits += l.code.at(pc).splits;
  w.number("splits", static_cast<long long>(splits));
  w.number("busiest_warp", static_cast<long long>(l.busiest_warp));
  w.number("all_warps", static_cast<long long>(l.all_warps));
  w.number("warps", static_cast<long long>(l.warps));
  w.name("barrier_lines").open('[');
  for (const auto& [place, times] : l.barrier_places) {
    w.open('{');
    w.text("file", place.file);
    w.number("line", place.line);
    w.number("times", static_cast<long long>(times));
    w.close('}');
  }
  w.close(']');
  write_timeline(w, l);
  std::vector<const void*> order;
  for (const auto& [pc, counts] : l.accesses) order.push_back(pc);
  std::sort(order.begin(), order.end());
  w.name("accesses").open('[');
  static const Frames none;
  const std::set<std::string_view> indexed = indexed_arrays(l);
  for (const void* pc : order) {
    if (!is_in_memory(l.accesses.at(pc), indexed)) continue;
    const auto found = places.lines.find(pc);
    w.out += '\n';
    write_access(w, l.accesses.at(pc), found != places.lines.end() ? found->second : none);
  }
  w.close(']');
  write_code(w, l, places, branches, facts);
  w.close('}');
}

}  // namespace

void add_launch(LaunchCounts counts) {
  const std::lock_guard lock(mutex);
  for (LaunchCounts& known : launches()) {
    if (!is_same(known, counts)) continue;
    known.launches += 1;
    known.blocks += counts.blocks;
    known.static_shared = std::max(known.static_shared, counts.static_shared);
    known.add(counts);
    return;
  }
  launches().push_back(std::move(counts));
}

std::string take_json() {
  std::vector<LaunchCounts> all;
  {
    const std::lock_guard lock(mutex);
    all = std::exchange(launches(), {});
  }
  std::vector<const void*> blocks;
  for (const LaunchCounts& l : all)
    for (const auto& [pc, counts] : l.code) blocks.push_back(pc);
  const CodeFacts facts = read_code(blocks);
  Lines with_own = find_lines(named_addresses(all, facts));
  Lines lines = lines_of_program(with_own);
  const Places places{std::move(with_own), std::move(lines)};
  Writer w;
  w.open('{');
  w.number("version", 1);
  w.name("launches").open('[');
  for (const LaunchCounts& l : all) write_launch(w, l, places, facts);
  w.close(']');
  w.close('}');
  return w.out + "\n";
}

void write_at_exit() {
  if (kept_for_host || launches().empty()) return;
  const char* const wanted = std::getenv("SIMT_XRAY_JSON");
  const char* const file = wanted != nullptr ? wanted : "xray.json";
  const std::string text = take_json();
  std::FILE* out = std::fopen(file, "w");
  if (out == nullptr || std::fputs(text.c_str(), out) < 0 || std::fclose(out) != 0) {
    std::fprintf(stderr, "simt xray: cannot write '%s'\n", file);
    return;
  }
  if (wanted == nullptr)
    std::fprintf(stderr, "simt xray: the counts are in %s; `warpath xray %s` explains them\n", file,
                 file);
}

}  // namespace simt::xray

// For host programs, see simt/counts.h: the JSON of what was counted since the last call. Valid until the next one.
extern "C" const char* simt_xray_take() {
  static std::string text;
  text = simt::xray::take_json();
  return text.c_str();
}

// They will ask: nothing is written when the process ends.
extern "C" void simt_xray_keep() {
  simt::xray::kept_for_host = true;
}
