#include <simt/virtual_memory.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <map>
#include <memory>
#include <mutex>

#include "api/internal.h"
#include "tools/check_hooks.h"

using namespace simt;
using namespace simt::api;

namespace {

struct Memory {
  Memory(int file, std::size_t bytes) : descriptor(file), size(bytes) {}
  ~Memory() { close(descriptor); }
  Memory(const Memory&) = delete;
  const int descriptor;
  const std::size_t size;
};

struct Mapping {
  std::size_t size;
  std::shared_ptr<Memory> memory;
  bool registered = false;  // known to the API, since it may be touched
  unsigned access = 0;
};

struct State {
  std::mutex mutex;
  std::map<char*, std::size_t> reserved;
  std::map<char*, Mapping> mapped;
  std::map<unsigned long long, std::shared_ptr<Memory>> handles;
  unsigned long long next = 1;
};

// Never destroyed: see heap().
State& state() {
  static State* const it = new State;
  return *it;
}

bool fits(std::size_t n) {
  return n != 0 && n % virtual_memory::granularity == 0;
}

// Nobody may touch these addresses, but they stay ours.
void clear(char* base, std::size_t size) {
  mmap(base, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

bool lies_inside(const std::map<char*, std::size_t>& ranges, char* base, std::size_t size) {
  auto next = ranges.upper_bound(base);
  if (next == ranges.begin()) return false;
  const auto& [begin, length] = *std::prev(next);
  return base + size <= begin + length;
}

bool is_free(const std::map<char*, Mapping>& mapped, char* base, std::size_t size) {
  const auto next = mapped.lower_bound(base);
  if (next != mapped.end() && next->first < base + size) return false;
  return next == mapped.begin() || std::prev(next)->first + std::prev(next)->second.size <= base;
}

// The mapping that holds an address; null if there is none.
Mapping* mapping_at(State& all, const void* address) {
  char* const at = static_cast<char*>(const_cast<void*>(address));
  const auto next = all.mapped.upper_bound(at);
  if (next == all.mapped.begin()) return nullptr;
  auto& [base, mapping] = *std::prev(next);
  return at < base + mapping.size ? &mapping : nullptr;
}

void unregister(char* base, Mapping& mapping) {
  if (!mapping.registered) return;
  mapping.registered = false;
  take_allocation(base, [](MemoryKind kind) { return kind == MemoryKind::device; });
  if (check_hooks != nullptr) check_hooks->freed(base, mapping.size, nullptr);
}

unsigned long long add_handle(State& all, std::shared_ptr<Memory> memory) {
  const unsigned long long handle = all.next++;
  all.handles[handle] = std::move(memory);
  return handle;
}

}  // namespace

namespace simt::virtual_memory {

cudaError_t reserve(void** base, std::size_t size, std::size_t alignment) {
  if (base == nullptr || !fits(size) || (alignment & (alignment - 1)) != 0)
    return cudaErrorInvalidValue;
  if (alignment > granularity) return cudaErrorMemoryAllocation;
  *base = heap_reserve(size);
  if (*base == nullptr) return cudaErrorMemoryAllocation;
  const std::lock_guard lock(state().mutex);
  state().reserved[static_cast<char*>(*base)] = size;
  return cudaSuccess;
}

cudaError_t release(void* base, std::size_t size) {
  State& all = state();
  const std::lock_guard lock(all.mutex);
  const auto found = all.reserved.find(static_cast<char*>(base));
  if (found == all.reserved.end() || found->second != size ||
      !is_free(all.mapped, static_cast<char*>(base), size))
    return cudaErrorInvalidValue;
  all.reserved.erase(found);
  heap_unreserve(base, size);
  return cudaSuccess;
}

cudaError_t create(unsigned long long* handle, std::size_t size) {
  if (handle == nullptr || !fits(size)) return cudaErrorInvalidValue;
  if (size > heap_total()) return cudaErrorMemoryAllocation;
  const int descriptor = memfd_create("simt", MFD_CLOEXEC);
  if (descriptor < 0) return cudaErrorMemoryAllocation;
  auto memory = std::make_shared<Memory>(descriptor, size);
  if (ftruncate(descriptor, static_cast<off_t>(size)) != 0) return cudaErrorMemoryAllocation;
  State& all = state();
  const std::lock_guard lock(all.mutex);
  *handle = add_handle(all, std::move(memory));
  return cudaSuccess;
}

cudaError_t drop(unsigned long long handle) {
  State& all = state();
  const std::lock_guard lock(all.mutex);
  return all.handles.erase(handle) != 0 ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t map(void* base, std::size_t size, std::size_t offset, unsigned long long handle) {
  State& all = state();
  const std::lock_guard lock(all.mutex);
  const auto found = all.handles.find(handle);
  char* const at = static_cast<char*>(base);
  // Memory is mapped whole: the driver API knows nothing else.
  if (found == all.handles.end() || offset != 0 || size != found->second->size ||
      !lies_inside(all.reserved, at, size) || !is_free(all.mapped, at, size))
    return cudaErrorInvalidValue;
  void* const got =
      mmap(base, size, PROT_NONE, MAP_SHARED | MAP_FIXED, found->second->descriptor, 0);
  if (got == MAP_FAILED) return cudaErrorMemoryAllocation;
  all.mapped[at] = {size, found->second};
  return cudaSuccess;
}

cudaError_t unmap(void* base, std::size_t size) {
  State& all = state();
  const std::lock_guard lock(all.mutex);
  char* const from = static_cast<char*>(base);
  char* const to = from + size;
  std::size_t covered = 0;
  for (auto it = all.mapped.lower_bound(from); it != all.mapped.end() && it->first < to; ++it)
    covered += it->second.size;
  if (covered != size || size == 0) return cudaErrorInvalidValue;
  for (auto it = all.mapped.lower_bound(from); it != all.mapped.end() && it->first < to;) {
    unregister(it->first, it->second);
    clear(it->first, it->second.size);
    it = all.mapped.erase(it);
  }
  return cudaSuccess;
}

cudaError_t allow(void* base, std::size_t size, bool read, bool write) {
  State& all = state();
  const std::lock_guard lock(all.mutex);
  char* const from = static_cast<char*>(base);
  char* const to = from + size;
  std::size_t covered = 0;
  for (auto it = all.mapped.lower_bound(from); it != all.mapped.end() && it->first < to; ++it)
    covered += it->second.size;
  if (covered != size || size == 0) return cudaErrorInvalidValue;
  const int protection = (read ? PROT_READ : 0) | (write ? PROT_WRITE : 0);
  for (auto it = all.mapped.lower_bound(from); it != all.mapped.end() && it->first < to; ++it) {
    Mapping& mapping = it->second;
    mprotect(it->first, mapping.size, protection);
    mapping.access = (read ? 1u : 0u) | (write ? 2u : 0u);
    if (!read && !write) {
      unregister(it->first, mapping);
    } else if (!mapping.registered) {
      mapping.registered = true;
      add_allocation(it->first, mapping.size, MemoryKind::device, Allocation::mapped);
      if (check_hooks != nullptr)
        check_hooks->allocated(it->first, mapping.size, MemoryKind::device, nullptr);
    }
  }
  return cudaSuccess;
}

cudaError_t access_of(unsigned long long* flags, const void* address) {
  State& all = state();
  const std::lock_guard lock(all.mutex);
  const Mapping* const found = mapping_at(all, address);
  if (flags == nullptr || found == nullptr) return cudaErrorInvalidValue;
  *flags = found->access;
  return cudaSuccess;
}

cudaError_t export_descriptor(int* descriptor, unsigned long long handle) {
  State& all = state();
  const std::lock_guard lock(all.mutex);
  const auto found = all.handles.find(handle);
  if (descriptor == nullptr || found == all.handles.end()) return cudaErrorInvalidValue;
  *descriptor = dup(found->second->descriptor);
  return *descriptor >= 0 ? cudaSuccess : cudaErrorOperatingSystem;
}

cudaError_t import_descriptor(unsigned long long* handle, int descriptor) {
  struct stat facts = {};
  if (handle == nullptr || fstat(descriptor, &facts) != 0 || facts.st_size <= 0)
    return cudaErrorInvalidValue;
  auto memory = std::make_shared<Memory>(dup(descriptor), static_cast<std::size_t>(facts.st_size));
  if (memory->descriptor < 0) return cudaErrorOperatingSystem;
  State& all = state();
  const std::lock_guard lock(all.mutex);
  *handle = add_handle(all, std::move(memory));
  return cudaSuccess;
}

cudaError_t retain(unsigned long long* handle, const void* address) {
  State& all = state();
  const std::lock_guard lock(all.mutex);
  const Mapping* const found = mapping_at(all, address);
  if (handle == nullptr || found == nullptr) return cudaErrorInvalidValue;
  *handle = add_handle(all, found->memory);
  return cudaSuccess;
}

}  // namespace simt::virtual_memory
