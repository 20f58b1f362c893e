#include "findings.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <tuple>
#include <vector>

namespace simt::check {
namespace {

using Key = std::tuple<std::string, const void*, const void*>;

struct Entry {
  Finding finding;
  std::uint64_t count = 0;
};

struct Place {
  std::string file;  // full path; empty when it is not known
  unsigned line = 0;
  bool own = false;  // all of it is simt's own code
};

struct Store {
  std::mutex mutex;
  std::map<Key, Entry> fresh;  // not printed yet
  // Printed: kind, line, other line.
  std::map<std::tuple<std::string, std::string, std::string>, std::uint64_t> printed;
  std::map<const void*, Place> places;
  std::uint64_t faults = 0;
};

Store& store() {
  static Store* const it = new Store;  // the end of the program still needs it
  return *it;
}

bool is_simt_header(const std::string& file) {
  return file.find("/simt/include/") != std::string::npos ||
         file.find("/include/simt-cuda/") != std::string::npos ||
         file.find("/include/c++/") != std::string::npos;
}

// The source line of the call that returns to pc: the innermost frame in the program's own files.
Place find_place(const void* pc) {
  Dl_info info;
  if (pc == nullptr || dladdr(pc, &info) == 0 || info.dli_fname == nullptr) return {};
  char module[4096];
  if (realpath(info.dli_fname, module) == nullptr) {
    const ssize_t length = readlink("/proc/self/exe", module, sizeof module - 1);
    if (length <= 0) return {};
    module[length] = '\0';
  }
  std::string quoted = "'";
  for (const char* c = module; *c != '\0'; ++c) quoted += *c == '\'' ? "'\\''" : std::string(1, *c);
  const auto offset = static_cast<const char*>(pc) - static_cast<const char*>(info.dli_fbase) - 1;
  char command[8192];
  std::snprintf(command, sizeof command, "addr2line -i -e %s' 0x%lx 2>/dev/null", quoted.c_str(),
                static_cast<unsigned long>(offset));
  std::FILE* pipe = popen(command, "r");
  if (pipe == nullptr) return {};
  Place found;
  char text[8192];
  while (std::fgets(text, sizeof text, pipe) != nullptr) {
    std::string frame = text;
    frame.erase(frame.find_last_not_of(" \n") + 1);
    if (const auto note = frame.find(" ("); note != std::string::npos) frame.resize(note);
    const auto colon = frame.rfind(':');
    if (colon == std::string::npos || frame[0] == '?') continue;
    const auto line = static_cast<unsigned>(std::strtoul(frame.c_str() + colon + 1, nullptr, 10));
    if (line == 0) continue;
    const bool own = is_simt_header(frame);
    if (found.file.empty() || (found.own && !own)) found = {frame.substr(0, colon), line, own};
  }
  pclose(pipe);
  return found;
}

const Place& place_of(const void* pc) {
  auto& places = store().places;
  const auto known = places.find(pc);
  return known != places.end() ? known->second : places.emplace(pc, find_place(pc)).first->second;
}

std::string short_name(const Place& place) {
  if (place.file.empty()) return "";
  return place.file.substr(place.file.rfind('/') + 1) + ":" + std::to_string(place.line);
}

std::string source_text(const Place& place) {
  std::ifstream file(place.file);
  std::string line;
  for (unsigned i = 0; i < place.line; ++i) {
    if (!std::getline(file, line)) return "";
  }
  const auto begin = line.find_first_not_of(" \t");
  if (begin == std::string::npos) return "";
  return ": " + line.substr(begin, line.find_last_not_of(" \t\r") + 1 - begin);
}

std::string at_line(const Place& place) {
  return place.file.empty() ? "an unknown place" : short_name(place) + source_text(place);
}

void print(const Entry& entry) {
  const Finding& f = entry.finding;
  std::string text = std::string("simt check: ") + f.kind + ": " + f.what;
  if (const std::string at = short_name(place_of(f.allocated_at)); !at.empty()) {
    text += " allocated at " + at;
  }
  if (const std::string at = short_name(place_of(f.freed_at)); !at.empty()) {
    text += ", freed at " + at;
  }
  text += "\n  at " + at_line(place_of(f.pc)) + "\n";
  if (!f.who.empty()) text += "    " + f.who + "\n";
  if (f.other != nullptr)
    text += "  and " + at_line(place_of(f.other)) + "\n    " + f.other_who + "\n";
  if (!f.tail.empty()) text += "  " + f.tail + "\n";
  if (!f.kernel.empty()) text += "  in kernel '" + f.kernel + "'";
  if (entry.count > 1) {
    text += (f.kernel.empty() ? "  " : ", ") + std::to_string(entry.count) + " times";
  }
  if (!f.kernel.empty() || entry.count > 1) text += "\n";
  std::fputs(text.c_str(), stderr);
}

}  // namespace

bool is_own_code(const void* pc) {
  Store& s = store();
  const std::lock_guard lock(s.mutex);
  const Place& place = place_of(pc);
  return place.own || place.file.empty();
}

bool is_news(const char* kind, const void* pc, const void* other, std::uint64_t rank) {
  Store& s = store();
  const std::lock_guard lock(s.mutex);
  const auto known = s.fresh.find({kind, pc, other});
  if (known == s.fresh.end() || known->second.finding.rank > rank) return true;
  ++known->second.count;
  return false;
}

void add(Finding finding) {
  Store& s = store();
  const std::lock_guard lock(s.mutex);
  Entry& entry = s.fresh[{finding.kind, finding.pc, finding.other}];
  if (entry.count == 0 || finding.rank < entry.finding.rank) entry.finding = std::move(finding);
  ++entry.count;
}

void count_fault() {
  Store& s = store();
  const std::lock_guard lock(s.mutex);
  ++s.faults;
}

void print_new() {
  Store& s = store();
  const std::lock_guard lock(s.mutex);
  if (s.fresh.empty()) return;
  // Several instructions of one line are one finding, and so are the two directions of a race.
  std::map<std::tuple<std::string, std::string, std::string>, Entry> merged;
  for (auto& [key, entry] : s.fresh) {
    const Finding& f = entry.finding;
    std::string here = short_name(place_of(f.pc));
    std::string there = f.other != nullptr ? short_name(place_of(f.other)) : "";
    if (f.other != nullptr && there < here) std::swap(here, there);
    Entry& one = merged[{f.kind, here, there}];
    const std::uint64_t count = one.count + entry.count;
    if (one.count == 0 || f.rank < one.finding.rank) one = entry;
    one.count = count;
  }
  s.fresh.clear();
  std::fflush(stdout);
  for (const auto& [key, entry] : merged) {
    const bool known = s.printed.count(key) != 0;
    s.printed[key] += entry.count;
    if (!known) print(entry);
  }
}

void print_summary(int status) {
  print_new();
  Store& s = store();
  const std::uint64_t found = s.printed.size() + s.faults;
  if (found == 0) return;
  std::uint64_t times = s.faults;
  for (const auto& [key, count] : s.printed) times += count;
  std::fflush(nullptr);
  std::string text =
      "simt check: " + std::to_string(found) + (found == 1 ? " finding" : " findings");
  if (times > found) text += " (" + std::to_string(times) + " times in all)";
  std::fprintf(stderr, "%s\n", text.c_str());
  if (status == 0) _exit(1);
}

}  // namespace simt::check
