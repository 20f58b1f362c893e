// Device memory: one reserved range of addresses, committed as it is used.
//
// A large allocation has its own pages, of a GPU's size, which are taken away when it is freed:
// running far past the last one or using freed memory is a real fault, as it is on a GPU. Running
// past the end of one finds the next, as there; a checked program has a page between them that
// nobody may touch. Small ones share slabs, for a page each would be wasteful. Memory is zero the
// first time it is handed out.

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>

#include "api/internal.h"
#include "tools/check_hooks.h"

namespace simt::api {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t small_unit = 512;        // alignment of every device pointer, as on a GPU
constexpr std::size_t small_limit = 32 << 10;  // larger allocations get their own pages
constexpr std::size_t gpu_page = 2 << 20;
constexpr std::size_t slab_size = gpu_page;
constexpr std::size_t heap_red_zone = 512;
constexpr std::size_t h200_memory = 150109880320;

std::size_t round_up(std::size_t n, std::size_t unit) {
  return (n + unit - 1) / unit * unit;
}

// Free ranges by address; the lowest that fits is taken, so that addresses repeat from run to run.
class FreeRanges {
 public:
  std::optional<std::uintptr_t> take(std::size_t size) {
    for (auto it = ranges_.begin(); it != ranges_.end(); ++it) {
      if (it->second < size) continue;
      const std::uintptr_t base = it->first;
      const std::size_t rest = it->second - size;
      ranges_.erase(it);
      if (rest) ranges_[base + size] = rest;
      return base;
    }
    return std::nullopt;
  }

  void give(std::uintptr_t base, std::size_t size) {
    auto next = ranges_.lower_bound(base);
    if (next != ranges_.end() && next->first == base + size) {
      size += next->second;
      next = ranges_.erase(next);
    }
    if (next != ranges_.begin()) {
      const auto previous = std::prev(next);
      if (previous->first + previous->second == base) {
        previous->second += size;
        return;
      }
    }
    ranges_[base] = size;
  }

  void clear() { ranges_.clear(); }

 private:
  std::map<std::uintptr_t, std::size_t> ranges_;
};

// Bytes of memory this process may use: the machine's, or less where a container limits it.
std::size_t host_memory() {
  std::size_t bytes = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                      static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  if (FILE* limit = std::fopen("/sys/fs/cgroup/memory.max", "r")) {
    unsigned long long value = 0;
    if (std::fscanf(limit, "%llu", &value) == 1 && value > 0)
      bytes = std::min<std::size_t>(bytes, value);
    std::fclose(limit);
  }
  return bytes;
}

class Heap {
 public:
  Heap() {
    std::size_t limit = host_memory() / 5 * 4;  // the rest is for the program itself
    if (const char* megabytes = std::getenv("SIMT_MEMORY_MB"))
      limit = std::strtoull(megabytes, nullptr, 10) << 20;
    total_ = std::min(limit, h200_memory) / slab_size * slab_size;
    // More addresses than memory: guard pages and holes between allocations cost addresses only.
    for (const std::size_t factor : {4, 2, 1}) {
      void* range = mmap(nullptr, total_ * factor + 2 * slab_size, PROT_NONE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (range == MAP_FAILED) continue;
      begin_ = round_up(reinterpret_cast<std::uintptr_t>(range), slab_size);
      end_ = begin_ + total_ * factor + slab_size;
      break;
    }
    make_free();
  }

  void* allocate(std::size_t size) {
    const std::lock_guard lock(mutex_);
    if (size > total_ - used_) return nullptr;
    const std::uintptr_t base = size <= small_limit ? allocate_small(size) : allocate_large(size);
    if (base) used_ += charge(size);
    return reinterpret_cast<void*>(base);
  }

  void free(std::uintptr_t base, std::size_t size) {
    const std::lock_guard lock(mutex_);
    used_ -= charge(size);
    if (size <= small_limit) {
      small_.give(base, round_up(size, small_unit));
      return;
    }
    retire(base, round_up(size, gpu_page));
    large_.give(base, round_up(size, gpu_page) + red_zone(page));
  }

  void* reserve(std::size_t size) {
    const std::lock_guard lock(mutex_);
    const auto base = large_.take(round_up(size, gpu_page));
    return reinterpret_cast<void*>(base.value_or(0));
  }

  void unreserve(std::uintptr_t base, std::size_t size) {
    const std::lock_guard lock(mutex_);
    retire(base, round_up(size, gpu_page));
    large_.give(base, round_up(size, gpu_page));
  }

  void reset() {
    const std::lock_guard lock(mutex_);
    retire(begin_, end_ - begin_);
    small_.clear();
    large_.clear();
    make_free();
    used_ = 0;
  }

  std::pair<std::uintptr_t, std::uintptr_t> range() const { return {begin_, end_}; }
  std::size_t total() const { return total_; }
  std::size_t used() const { return used_; }
  bool holds(std::uintptr_t address) const { return address - begin_ < end_ - begin_; }

 private:
  // All but the first slab: what lies right before an allocation is always ours, and nobody's.
  void make_free() { large_.give(begin_ + slab_size, end_ - begin_ - slab_size); }

  static std::size_t charge(std::size_t size) {
    return round_up(size, size <= small_limit ? small_unit : page);
  }

  static bool commit(std::uintptr_t base, std::size_t size) {
    return mprotect(reinterpret_cast<void*>(base), size, PROT_READ | PROT_WRITE) == 0;
  }

  // Gives the pages back to the system; touching them is a fault until they are committed again.
  static void retire(std::uintptr_t base, std::size_t size) {
    void* pages = reinterpret_cast<void*>(base);
    if (size == 0) return;
    mmap(pages, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  }

  std::uintptr_t allocate_small(std::size_t size) {
    const std::size_t rounded = round_up(size, small_unit);
    if (const auto base = small_.take(rounded)) return *base;
    const auto slab = large_.take(slab_size);
    if (!slab) return 0;
    if (!commit(*slab, slab_size)) {
      large_.give(*slab, slab_size);
      return 0;
    }
    small_.give(*slab, slab_size);
    return *small_.take(rounded);
  }

  std::uintptr_t allocate_large(std::size_t size) {
    const std::size_t rounded = round_up(size, gpu_page);
    const auto base = large_.take(rounded + red_zone(page));
    if (!base) return 0;
    if (!commit(*base, rounded)) {
      large_.give(*base, rounded + red_zone(page));
      return 0;
    }
    return *base;
  }

  std::mutex mutex_;
  std::uintptr_t begin_ = 0, end_ = 0;
  std::size_t total_ = 0;
  std::atomic<std::size_t> used_{0};
  FreeRanges large_, small_;
};

// Never destroyed: a program's own destructors may still free device memory at exit.
Heap& heap() {
  static Heap* const instance = new Heap;
  return *instance;
}

}  // namespace

void* heap_allocate(std::size_t size) {
  return heap().allocate(size + red_zone(heap_red_zone));
}
void heap_free(void* pointer, std::size_t size) {
  heap().free(reinterpret_cast<std::uintptr_t>(pointer), size + red_zone(heap_red_zone));
}
void heap_reset() {
  heap().reset();
}
void* heap_reserve(std::size_t size) {
  return heap().reserve(size);
}
void heap_unreserve(void* pointer, std::size_t size) {
  heap().unreserve(reinterpret_cast<std::uintptr_t>(pointer), size);
}
std::pair<std::uintptr_t, std::uintptr_t> heap_range() {
  return heap().range();
}
std::size_t heap_total() {
  return heap().total();
}
std::size_t heap_used() {
  return heap().used();
}

}  // namespace simt::api

bool simt::is_device_range(const void* pointer) {
  return api::heap().holds(reinterpret_cast<std::uintptr_t>(pointer));
}
