// Allocations of device memory, as the API makes and frees them.

#include <simt/errors.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <utility>

#include "access.h"
#include "api/internal.h"
#include "faults.h"
#include "faults/report.h"
#include "findings.h"
#include "hooks.h"

namespace simt::check {
namespace {

// Freed memory is not handed out again before this much more has been freed.
constexpr std::size_t quarantine_bytes = std::size_t{64} << 20;
constexpr std::size_t quarantine_count = 1024;
constexpr std::size_t large = 1 << 20;

struct Regions {
  std::shared_mutex mutex;
  std::map<Address, Region*> by_base;
  std::deque<Region*> freed;
  std::size_t freed_bytes = 0;
};

Regions& regions() {
  static Regions* const it = new Regions;
  return *it;
}

bool on_heap(const Region& region) {
  return heap_area.holds(region.base);
}

// Gives the pages of a shadow back; they read as zero then.
void forget_pages(void* from, std::size_t size) {
  const Address begin = (reinterpret_cast<Address>(from) + 4095) & ~Address{4095};
  const Address end = (reinterpret_cast<Address>(from) + size) & ~Address{4095};
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

void drop(Region* region) {
  if (on_heap(*region) && region->size >= large && heap_area.cells != nullptr) {
    const std::size_t first = (region->base - heap_area.begin) / 4, words = region->size / 4;
    forget_pages(heap_area.cells + first, words * sizeof(Cell));
    forget_pages(heap_area.spares + first, words * sizeof(Spare));
  }
  delete region;
}

void clear_marks(const Region& region) {
  if (!on_heap(region)) return;
  if (region.size < large) return heap_area.set(region.base, region.size, unknown);
  forget_pages(heap_area.mark(region.base), region.size);
  heap_area.set(region.base, 4096, unknown);
  heap_area.set(region.end() - 4096, 4096, unknown);
}

}  // namespace

void tell_region(Finding& f, const Region& region, Address address, std::size_t element) {
  f.name = region.name;
  f.allocated_at = region.name.empty() ? region.allocated_by.in_program() : nullptr;
  f.freed_at = region.freed ? region.freed_by.in_program() : nullptr;
  f.bytes = region.end() - region.start();
  f.offset = static_cast<long long>(address - region.start());
  f.element = element;
  f.shape = region.shape;
  f.of_object = region.object != nullptr;
}

void allocated(const void* base, std::size_t size, MemoryKind kind, const void* caller) {
  if (heap_area.size == 0) make_heap_area();
  auto* region = new Region{reinterpret_cast<Address>(base),
                            size,
                            kind,
                            caller != nullptr ? CallStack::of_call(caller) : CallStack(),
                            {},
                            false,
                            false};
  Regions& all = regions();
  const std::unique_lock lock(all.mutex);
  Region*& slot = all.by_base[region->base];
  if (slot != nullptr) drop(slot);  // pinned memory that was freed
  slot = region;
}

// A kernel that was not compiled for checking may have written anything.
void trust_all() {
  Regions& all = regions();
  const std::unique_lock lock(all.mutex);
  for (const auto& [base, region] : all.by_base) region->trusted = true;
}

void has_shape(const void* base, const ArrayShape& shape) {
  Region* const region = region_before(reinterpret_cast<Address>(base));
  if (region != nullptr && region->base == reinterpret_cast<Address>(base)) region->shape = shape;
}

void object_made(const void* base, const char* what) {
  CallStack caller = CallStack::here();
  Region* const region = region_before(reinterpret_cast<Address>(base));
  if (region == nullptr || region->base != reinterpret_cast<Address>(base)) return;
  region->object = what;
  region->allocated_by = std::move(caller);
}

bool freed(void* base, std::size_t size, const void* caller) {
  Regions& all = regions();
  const std::unique_lock lock(all.mutex);
  const auto found = all.by_base.find(reinterpret_cast<Address>(base));
  if (found == all.by_base.end()) return false;
  Region* const region = found->second;
  region->freed = true;
  region->freed_by = CallStack::of_call(caller);
  clear_marks(*region);
  if (!enabled.memory || size > quarantine_bytes || !on_heap(*region)) {
    all.by_base.erase(found);
    drop(region);
    return false;
  }
  all.freed.push_back(region);
  all.freed_bytes += size;
  while (all.freed_bytes > quarantine_bytes || all.freed.size() > quarantine_count) {
    Region* const oldest = all.freed.front();
    all.freed.pop_front();
    all.freed_bytes -= oldest->size;
    all.by_base.erase(oldest->base);
    api::heap_free(reinterpret_cast<void*>(oldest->base), oldest->size);
    drop(oldest);
  }
  return true;
}

void bad_free(const void* pointer, const void* caller) {
  bad_free(pointer, caller, "cudaFree");
}

void bad_free(const void* pointer, const void* caller, const char* function) {
  if (!enabled.memory) return;
  const auto address = reinterpret_cast<Address>(pointer);
  const Region* region = region_before(address);
  if (region != nullptr && address >= region->end()) region = nullptr;
  const bool twice = region != nullptr && region->base == address && region->freed;
  const FindingKind kind = twice ? FindingKind("double free") : FindingKind("invalid free");
  Finding f = front != nullptr ? finding_here(kind, caller) : Finding{};
  f.kind = kind;
  f.pc = CallStack::of_call(caller).in_program();
  if (region == nullptr) {
    f.what = std::string(function) + " of a pointer that is no allocation of device memory";
  } else {
    if (region->object != nullptr) {
      function = std::strcmp(region->object, "texture object") == 0 ? "cudaDestroyTextureObject"
                                                                    : "cudaDestroySurfaceObject";
    }
    f.what = std::string(function) + " of " +
             (region->base == address ? std::string()
                                      : "byte " + std::to_string(address - region->base) + " of ");
    f.what += allocation_text(*region);
    tell_region(f, *region, address, 0);
  }
  add(std::move(f));
}

void bad_range(const char* what, const void* pointer, std::size_t size) {
  if (!enabled.memory) return;
  const auto address = reinterpret_cast<Address>(pointer);
  const Region* const region = region_before(address);
  // "copy to" becomes "copy of 4000 bytes to".
  const std::string words = what;
  const std::size_t space = std::min(words.find(' '), words.size());
  const std::string copy = words.substr(0, space) + " of " + bytes_text(size) +
                           (space < words.size() ? words.substr(space) : " at");
  Finding f;
  f.pc = CallStack::here().in_program();
  if (const Variable* const variable = variable_near(address)) {
    f.kind = "out of bounds";
    f.what = copy + " byte " + std::to_string(address - variable->base) + " of '" + variable->name +
             "', which has " + bytes_text(variable->size);
    return add(std::move(f));
  }
  if (region == nullptr || address >= region->end()) {
    const bool device = heap_area.holds(address);
    f.kind = device ? FindingKind("out of bounds") : FindingKind("wrong direction");
    f.what =
        copy + " " + hexadecimal(address) +
        (device ? ", in no allocation of device memory" : ", which is no memory of the device");
    return add(std::move(f));
  }
  f.kind = region->freed ? FindingKind("use after free") : FindingKind("out of bounds");
  f.what =
      copy + " byte " + std::to_string(address - region->base) + " of " + allocation_text(*region);
  if (!region->freed && address + size > region->end()) {
    f.tail = "that is " + bytes_text(address + size - region->end()) + " more than it has left";
  }
  tell_region(f, *region, address, 0);
  add(std::move(f));
}

void forgot_all() {
  Regions& all = regions();
  const std::unique_lock lock(all.mutex);
  for (const auto& [base, region] : all.by_base) {
    clear_marks(*region);
    drop(region);
  }
  all.by_base.clear();
  all.freed.clear();
  all.freed_bytes = 0;
}

void written(const void* to, std::size_t size) {
  const auto address = reinterpret_cast<Address>(to);
  if (front != nullptr && state_of(current_block()).shared.holds(address)) {
    return state_of(current_block()).shared.set(address, size, good);
  }
  if (!heap_area.holds(address)) return;
  const Region* const region = region_before(address);
  if (region != nullptr && address + size <= region->end()) heap_area.set(address, size, good);
}

void copied_out(const void* from, std::size_t size) {
  const auto address = reinterpret_cast<Address>(from);
  if (!enabled.init || !heap_area.holds(address)) return;
  const Region* const region = region_before(address);
  if (region == nullptr || address < region->start() || address + size > region->end() ||
      region->trusted || region->kind != MemoryKind::device) {
    return;
  }
  // What is copied along with good data may be padding, or the unused end of a buffer.
  if (std::memchr(heap_area.mark(address), good, size) != nullptr) return;
  Finding f;
  f.kind = "uninitialised";
  f.pc = CallStack::here().in_program();
  f.what = "copy of " + bytes_text(size) + " that nobody wrote, from byte " +
           std::to_string(address - region->base) + " of " + allocation_text(*region);
  tell_region(f, *region, address, 0);
  add(std::move(f));
}

void report_leaks() {
  // After a fault nothing could be freed.
  if ((!enabled.memory && !enabled.leak) || is_poisoned()) return;
  Regions& all = regions();
  const std::shared_lock lock(all.mutex);
  for (const auto& [base, region] : all.by_base) {
    if (region->freed || region->kind == MemoryKind::pinned || region->object != nullptr ||
        !region->allocated_by.known())
      continue;
    Finding f;
    f.kind = "leak";
    f.pc = region->allocated_by.in_program();
    f.what = bytes_text(region->size) + " of device memory are never freed";
    f.bytes = region->size;
    f.warning = !enabled.leak;
    add(std::move(f));
  }
}

Region* adopt(const Allocation& allocation) {
  allocated(reinterpret_cast<const void*>(allocation.base), allocation.size, allocation.kind,
            nullptr);
  Region* const region = region_before(allocation.base);
  region->allocated_by = {};
  region->trusted = true;
  return region;
}

Region* region_before(Address address) {
  Regions& all = regions();
  const std::shared_lock lock(all.mutex);
  auto it = all.by_base.upper_bound(address);
  return it == all.by_base.begin() ? nullptr : (--it)->second;
}

}  // namespace simt::check
