#include "reach.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "state.h"

namespace simt::check {

bool records_sites = false;

namespace {

// A hash set with open addressing: threads of kernels insert without a lock.
constexpr unsigned log_slots = 22;
constexpr std::size_t slots = std::size_t{1} << log_slots;

struct Sites {
  std::string file;
  std::atomic<const void*>* table = nullptr;
  std::mutex mutex;
  std::vector<const void*> fresh;  // in the table, not in the file
};

Sites& sites() {
  static Sites* const it = new Sites;  // the end of the program still needs it
  return *it;
}

// A record with holes would pass for code that was not reached.
[[noreturn]] void give_up(const char* why) {
  std::fprintf(stderr, "simt check: SIMT_CHECK_REACH=%s: %s\n", sites().file.c_str(), why);
  std::_Exit(1);
}

}  // namespace

void record_sites_to(const char* file) {
  Sites& s = sites();
  s.file = file;
  s.table = reserve<std::atomic<const void*>>(slots);
  if (s.table == nullptr) give_up("not enough memory");
  records_sites = true;
}

void note_site(const void* pc) {
  if (pc == nullptr) return;
  Sites& s = sites();
  const std::size_t hash =
      reinterpret_cast<std::uint64_t>(pc) * 0x9e3779b97f4a7c15u >> (64 - log_slots);
  for (std::size_t i = 0; i < slots; ++i) {
    std::atomic<const void*>& slot = s.table[(hash + i) % slots];
    const void* known = slot.load(std::memory_order_relaxed);
    if (known == nullptr && slot.compare_exchange_strong(known, pc, std::memory_order_relaxed)) {
      const std::lock_guard lock(s.mutex);
      s.fresh.push_back(pc);
      return;
    }
    if (known == pc) return;
  }
  give_up("too many call sites");
}

void append_sites() {
  if (!records_sites) return;
  Sites& s = sites();
  const std::lock_guard lock(s.mutex);
  std::string text;
  for (const void* pc : std::exchange(s.fresh, {})) {
    Dl_info info;
    if (dladdr(pc, &info) == 0 || info.dli_fname == nullptr) continue;
    const auto offset = static_cast<const char*>(pc) - static_cast<const char*>(info.dli_fbase) - 1;
    char number[32];
    std::snprintf(number, sizeof number, " 0x%lx\n", static_cast<unsigned long>(offset));
    text += std::string(info.dli_fname) + number;
  }
  if (text.empty()) return;
  const int file = open(s.file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  // One write: other processes append to the same file.
  if (file < 0 || write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    give_up("cannot be written");
  close(file);
}

}  // namespace simt::check
