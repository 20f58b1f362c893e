#include "findings.h"

#include <simt/errors.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include "api/internal.h"
#include "call_stack.h"
#include "faults.h"
#include "json.h"
#include "source_location.h"

namespace simt::check {
namespace {

using Key = std::tuple<std::string, const void*, const void*>;
// Kind, line, other line: several instructions of one line are one finding, and so are the two
// directions of a race.
using LineKey = std::tuple<std::string, std::string, std::string>;

struct Store {
  std::mutex mutex;
  std::map<Key, Entry> fresh;  // not printed yet
  std::map<LineKey, std::size_t> printed;
  std::vector<Entry> all;  // as printed, with counts that may have grown
  std::string json_file;
};

Store& store() {
  static Store* const it = new Store;  // the end of the program still needs it
  return *it;
}

std::string at_line(const SourceLocation& location) {
  if (!location.known()) return "an unknown place";
  const auto place = [](const SourceLocation& at) {
    const std::string text = source_text(at);
    return short_name(at) + (text.empty() ? "" : ": " + text);
  };
  if (location.inside_file.empty()) return place(location);
  return place(location) + "\n    inside " +
         place({location.inside_file, location.inside_line, false, false, "", 0});
}

// " (out[256])" of an access to the memory that a line allocates as `out`.
std::string name_of_element(const Finding& f) {
  const std::string name = block_name(f);
  if (name.empty() || f.element == 0 || f.of_object) return "";
  return " (" + element_of_allocation(name, f.offset, f.element, f.shape) + ")";
}

// What orders the two sides of a race.
std::string advice(const Entry& entry) {
  const Finding& f = entry.finding;
  const bool same_line = short_name(location_of(f.pc)) == short_name(location_of(f.other));
  if (f.atomic_reads && f.apart == Apart::blocks) {
    return "blocks of a grid are not ordered: the writer needs a __threadfence() between this "
           "write "
           "and the atomic by which the reader knows of it";
  }
  if (f.some_atomic && !f.atomic_reads) {
    return f.apart == Apart::blocks
               ? "one access is atomic, the other is not: between blocks both must be"
               : "one access is atomic, the other is not: both must be, or a barrier must stand "
                 "between them";
  }
  if (same_line && entry.write_write) {
    return entry.read_write
               ? "each thread reads the element, changes it and writes it back, and others do so "
                 "in "
                 "between: an atomic operation (atomicAdd and the like) makes that one step"
               : "each thread writes another value, and which one stays is a matter of luck: let "
                 "one thread write, order them by a barrier, or use an atomic operation";
  }
  if (entry.changes) {
    return "if the value that is written is made of the one that was read, an atomic operation "
           "(atomicAdd and the like) makes that one step";
  }
  // A line that reads and writes: perhaps it changes the element, perhaps it looks at another one.
  const std::string changing = same_line ? "; if the line changes the element it reads, an atomic "
                                           "operation (atomicAdd and the like)"
                                         : "";
  switch (f.apart) {
    case Apart::blocks:
      return "blocks of a grid are not ordered: a second kernel or grid.sync() orders them, or an "
             "atomic flag with __threadfence()" +
             changing;
    case Apart::warps:
      return std::string("there is no barrier between them (__syncthreads)") + changing;
    case Apart::lanes:
      return std::string(
                 "there is no barrier or __syncwarp between them (lanes do not run in lockstep)") +
             changing;
    case Apart::none:
      break;
  }
  return "";
}

// Zeros in many places are what inputs hold that nobody filled.
bool writes_one_value(const Entry& entry) {
  return entry.read_write && !entry.write_write && entry.one_value && entry.count > 1 &&
         !entry.unwritten && entry.written.known() && (entry.written.bits != 0 || entry.one_place);
}

void write(Entry& entry, bool one_value, bool one_place, const Value& written) {
  const bool both = entry.written.known() && written.known();
  entry.one_value = entry.one_value && one_value && !(both && !entry.written.same_as(written));
  entry.one_place = entry.one_place && one_place && !(both && entry.written.at != written.at);
  if (!entry.written.known()) entry.written = written;
}

// `v = *p` before `*p = v + 1`, by all threads: a barrier between the two would not help. Whether the
// one value goes into the other is not known.
void find_changes(std::map<LineKey, Entry>& races) {
  const auto is_race = [](const Entry& entry) { return entry.finding.kind == FindingKind("race"); };
  const auto variable = [](const Finding& f) { return f.what.substr(0, f.what.find('[')); };
  const auto same_memory = [&](const Finding& a, const Finding& b) {
    return a.allocated_at == b.allocated_at && a.name == b.name &&
           (a.allocated_at != nullptr || !a.name.empty() || variable(a) == variable(b));
  };
  for (const auto& [key, writes] : races) {
    const SourceLocation& there = location_of(writes.finding.pc);
    if (!is_race(writes) || !writes.write_write || std::get<1>(key) != std::get<2>(key)) continue;
    for (auto& [other, reads] : races) {
      if (!is_race(reads) || reads.write_write || !same_memory(reads.finding, writes.finding))
        continue;
      const SourceLocation &a = location_of(reads.finding.pc),
                           &b = location_of(reads.finding.other);
      const SourceLocation& read = a.line < b.line ? a : b;
      const SourceLocation& written = a.line < b.line ? b : a;
      reads.changes |= read.file == there.file && written.file == there.file &&
                       written.line == there.line && read.line < there.line &&
                       reads.finding.kernel == writes.finding.kernel;
    }
  }
}

void find_unwritten(std::map<LineKey, Entry>& all) {
  for (const auto& [key, entry] : all) {
    if (entry.finding.kind != FindingKind("uninitialised")) continue;
    const std::string& line = std::get<1>(key);
    for (auto& [other, race] : all)
      race.unwritten |= std::get<1>(other) == line || std::get<2>(other) == line;
  }
}

// A race of two entries is one; the counts and what was seen add up.
void join(Entry& into, const Entry& from) {
  const Finding& f = from.finding;
  if (into.count == 0 || f.rank < into.finding.rank) into.finding = f;
  into.count += from.count;
  into.write_write |= from.write_write;
  into.read_write |= from.read_write;
  write(into, from.one_value, from.one_place, from.written);
}

void print(const Entry& entry) {
  show_report("simt check: " + report_text(entry));
}

}  // namespace

std::string report_text(const Entry& entry) {
  const Finding& f = entry.finding;
  if (f.told) return f.what;
  std::string text = std::string(f.kind.name()) + ": " + f.what;
  if (const std::string at = short_name(location_of(f.allocated_at)); !at.empty()) {
    text += " made at " + at;
  }
  if (const std::string at = short_name(location_of(f.freed_at)); !at.empty()) {
    text += (f.of_object ? ", destroyed at " : ", freed at ") + at;
  }
  text += name_of_element(f);
  if (f.pc != nullptr) text += "\n  at " + at_line(location_of(f.pc));
  text += "\n";
  if (!f.who.empty()) text += "    " + f.who + "\n";
  if (f.other != nullptr)
    text += "  and " + at_line(location_of(f.other)) + "\n    " + f.other_who + "\n";
  const std::string tail = f.tail.empty() ? advice(entry) : f.tail;
  if (!tail.empty()) text += "  " + tail + "\n";
  if (writes_one_value(entry)) {
    text += std::string("  every write that was seen stored the same value") +
            (entry.written.bits == 0 ? ", 0" : "") + ": a reader gets that one or the one before\n";
  }
  if (!f.kernel.empty()) text += "  in kernel '" + f.kernel + "'";
  if (entry.count > 1) {
    text += (f.kernel.empty() ? "  " : ", ") + std::to_string(entry.count) + " times";
  }
  if (!f.kernel.empty() || entry.count > 1) text += "\n";
  return text;
}

std::string block_name(const Finding& f) {
  return f.name.empty() ? allocated_name(location_of(f.allocated_at)) : f.name;
}

bool is_news(FindingKind kind, const void* pc, const void* other, std::uint64_t rank) {
  Store& s = store();
  const std::lock_guard lock(s.mutex);
  const auto known = s.fresh.find({kind.name(), pc, other});
  if (known == s.fresh.end() || known->second.finding.rank > rank) return true;
  ++known->second.count;
  return false;
}

void note_written(const void* pc, const void* other, Value written) {
  Store& s = store();
  const std::lock_guard lock(s.mutex);
  const auto known = s.fresh.find({"race", pc, other});
  if (known != s.fresh.end()) write(known->second, true, true, written);
}

void add(Finding finding) {
  simt_check_found(finding.kind.name(), finding.what.c_str());
  Store& s = store();
  const std::lock_guard lock(s.mutex);
  Entry& entry = s.fresh[{finding.kind.name(), finding.pc, finding.other}];
  Entry fresh;
  fresh.finding = std::move(finding);
  fresh.count = 1;
  (fresh.finding.both_write ? fresh.write_write : fresh.read_write) = true;
  join(entry, fresh);
}

bool is_reported_at(const void* pc) {
  print_new();
  Store& s = store();
  const std::lock_guard lock(s.mutex);
  const std::string line = short_name(location_of(pc));
  return !line.empty() && std::any_of(s.all.begin(), s.all.end(), [&](const Entry& entry) {
    return short_name(location_of(entry.finding.pc)) == line;
  });
}

void add_fault(FindingKind kind, const std::string& report, const std::string& kernel,
               const void* pc) {
  Store& s = store();
  const std::lock_guard lock(s.mutex);
  Entry entry;
  entry.finding.kind = kind;
  entry.finding.what = report;
  entry.finding.told = true;
  entry.finding.pc = pc;
  entry.finding.kernel = kernel;
  entry.count = 1;
  s.all.push_back(std::move(entry));
}

void name_calls(const std::string& kernel) {
  Store& s = store();
  const std::lock_guard lock(s.mutex);
  CallStack launch;
  for (auto& [key, entry] : s.fresh) {
    Finding& f = entry.finding;
    const bool known = is_in_program(f.pc) && (f.other == nullptr || is_in_program(f.other));
    if (f.kernel != kernel || known) continue;
    if (!launch.known()) launch = CallStack::here();
    f.pc = call_of(f.pc, launch);
    f.other = call_of(f.other, launch);
  }
}

void print_new() {
  Store& s = store();
  const std::lock_guard lock(s.mutex);
  if (s.fresh.empty()) return;
  std::map<LineKey, Entry> merged;
  for (auto& [key, entry] : s.fresh) {
    const Finding& f = entry.finding;
    std::string here = short_name(location_of(f.pc));
    std::string there = f.other != nullptr ? short_name(location_of(f.other)) : "";
    if (f.other != nullptr && there < here) std::swap(here, there);
    join(merged[{f.kind.name(), here, there}], entry);
  }
  s.fresh.clear();
  find_changes(merged);
  find_unwritten(merged);
  std::fflush(stdout);
  std::uint64_t leaks = 0, bytes = 0;
  for (const auto& [key, entry] : merged) {
    if (entry.finding.warning) {
      leaks += entry.count;
      bytes += entry.finding.bytes * entry.count;
      s.all.push_back(entry);
      continue;
    }
    const auto [known, is_new] = s.printed.emplace(key, s.all.size());
    if (is_new) {
      print(entry);
      s.all.push_back(entry);
    } else {
      s.all[known->second].count += entry.count;
    }
  }
  if (leaks == 0) return;
  std::fprintf(stderr,
               "simt check: warning: device memory is never freed: %llu %s, about %llu bytes "
               "(--check=leak tells which)\n",
               static_cast<unsigned long long>(leaks), leaks == 1 ? "allocation" : "allocations",
               static_cast<unsigned long long>(bytes));
}

std::vector<Entry> take_findings() {
  print_new();
  Store& s = store();
  const std::lock_guard lock(s.mutex);
  s.printed.clear();
  return std::exchange(s.all, {});
}

void print_summary(int status) {
  print_new();
  Store& s = store();
  std::uint64_t found = 0, times = 0;
  for (const Entry& entry : s.all) {
    if (entry.finding.warning) continue;
    ++found;
    times += entry.count;
  }
  if (!s.json_file.empty()) write_json(s.json_file, s.all);
  // A program that keeps reports has told them as errors, and how it ends is its own affair.
  if (found == 0 || api::reports_are_kept()) return;
  std::fflush(nullptr);
  std::string text =
      "simt check: " + std::to_string(found) + (found == 1 ? " finding" : " findings");
  if (times > found) text += " (" + std::to_string(times) + " times in all)";
  std::fprintf(stderr, "%s\n", text.c_str());
  if (status == 0) _exit(1);
}

void write_json_to(const char* file) {
  store().json_file = file;
}

}  // namespace simt::check
