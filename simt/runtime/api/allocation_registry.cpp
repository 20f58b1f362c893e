// The registry of allocations: address to allocation.

#include <link.h>

#include <cstdlib>
#include <map>
#include <mutex>
#include <shared_mutex>

#include "api/internal.h"
#include "tools/check_hooks.h"

namespace simt {
namespace {

struct Registry {
  std::shared_mutex mutex;
  std::map<std::uintptr_t, Allocation> by_base;
  std::uint64_t serial = 0;
};

// Never destroyed: see heap().
Registry& registry() {
  static Registry* const instance = new Registry;
  return *instance;
}

std::uintptr_t address(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}

}  // namespace

std::optional<Allocation> find_allocation(const void* pointer) {
  Registry& r = registry();
  const std::shared_lock lock(r.mutex);
  auto it = r.by_base.upper_bound(address(pointer));
  if (it == r.by_base.begin()) return std::nullopt;
  const Allocation& found = (--it)->second;
  if (address(pointer) >= found.end()) return std::nullopt;
  return found;
}

void register_symbol(const void* symbol, std::size_t size) {
  if (!api::is_module_data(symbol, false)) return;
  Registry& r = registry();
  {
    const std::shared_lock lock(r.mutex);
    if (r.by_base.count(address(symbol))) return;
  }
  api::add_allocation(symbol, size, MemoryKind::symbol, 0);
}

namespace api {
namespace {

struct DataSearch {
  uintptr_t wanted;
  bool found = false, writable = false, executable = false;
};

int look_in_module(dl_phdr_info* info, std::size_t, void* data) {
  auto& search = *static_cast<DataSearch*>(data);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    const uintptr_t begin = info->dlpi_addr + header.p_vaddr;
    if (header.p_type != PT_LOAD || search.wanted - begin >= header.p_memsz) continue;
    search.found = true;
    search.writable = (header.p_flags & PF_W) != 0;
    search.executable = (header.p_flags & PF_X) != 0;
    return 1;
  }
  return 0;
}

}  // namespace

bool is_module_data(const void* pointer, bool writable) {
  DataSearch search{address(pointer)};
  dl_iterate_phdr(&look_in_module, &search);
  return search.found && (search.writable || !writable);
}

bool is_code(const void* pointer) {
  DataSearch search{address(pointer)};
  dl_iterate_phdr(&look_in_module, &search);
  return search.found && search.executable;
}

void add_allocation(const void* base, std::size_t size, MemoryKind kind, unsigned flags) {
  Registry& r = registry();
  const std::unique_lock lock(r.mutex);
  r.by_base[address(base)] = Allocation{address(base), size, kind, flags, ++r.serial};
}

std::optional<Allocation> allocation_at(const void* base) {
  const auto found = find_allocation(base);
  if (!found || found->base != address(base)) return std::nullopt;
  return found;
}

std::optional<Allocation> take_allocation(const void* base, bool (*wanted)(MemoryKind)) {
  Registry& r = registry();
  const std::unique_lock lock(r.mutex);
  const auto it = r.by_base.find(address(base));
  if (it == r.by_base.end() || !wanted(it->second.kind)) return std::nullopt;
  const Allocation taken = it->second;
  r.by_base.erase(it);
  return taken;
}

void free_everything() {
  Registry& r = registry();
  const std::unique_lock lock(r.mutex);
  for (auto it = r.by_base.begin(); it != r.by_base.end();) {
    const Allocation& allocation = it->second;
    if (allocation.kind == MemoryKind::symbol) {
      ++it;
      continue;
    }
    if (allocation.kind == MemoryKind::pinned) std::free(reinterpret_cast<void*>(allocation.base));
    it = r.by_base.erase(it);
  }
  if (check_hooks != nullptr) check_hooks->forgot_all();
  heap_reset();
}

}  // namespace api
}  // namespace simt
