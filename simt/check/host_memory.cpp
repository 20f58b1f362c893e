// Host memory in kernels, and device memory on the host: which accesses are allowed outside a
// block's shared memory and the device's heap.

#include <link.h>

#include <algorithm>

#include "faults.h"
#include "faults/report.h"
#include "scheduler/grid.h"
#include "scheduler/shared_arena.h"
#include "scheduler/worker.h"

namespace simt::check {
namespace {

struct ModuleSearch {
  Address wanted;
};

int look_in_module(dl_phdr_info* info, std::size_t, void* data) {
  const Address wanted = static_cast<const ModuleSearch*>(data)->wanted;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    Address begin = 0;
    if (header.p_type == PT_LOAD) begin = info->dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_TLS) begin = reinterpret_cast<Address>(info->dlpi_tls_data);
    if (begin != 0 && wanted >= begin && wanted < begin + header.p_memsz) return 1;
  }
  return 0;
}

bool is_in_module(Address address) {
  ModuleSearch search{address};
  return dl_iterate_phdr(&look_in_module, &search) != 0;
}

// Data of the host that begins at an address and is handed to the kernel: as far as it may reach.
struct DataSearch {
  Address wanted;
  HostRange found{};
};

int look_for_data(dl_phdr_info* info, std::size_t, void* data) {
  auto& search = *static_cast<DataSearch*>(data);
  bool inside = false, tables = false;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    const Address begin = info->dlpi_addr + header.p_vaddr;
    if (search.wanted - begin >= header.p_memsz) continue;
    // Tables of virtual functions are no data of the program's.
    if (header.p_type == PT_GNU_RELRO) tables = true;
    if (header.p_type != PT_LOAD) continue;
    inside = true;
    if ((header.p_flags & PF_X) != 0) continue;
    // Constants of kernels lie behind those of the host: of these only the near ones are the
    // host's.
    constexpr Address near = 64 * 1024;
    const Address end = begin + header.p_memsz;
    search.found = {search.wanted,
                    (header.p_flags & PF_W) != 0 ? end : std::min(end, search.wanted + near)};
  }
  if (tables) search.found = {};
  return inside;
}

// The ranges that the kernel's arguments point to, if they are the host's.
void find_host_ranges(const Block& block, BlockState& state) {
  state.host_ranges_of = block.grid_generation;
  state.host_ranges.clear();
  for (std::size_t at = 0; at + sizeof(Address) <= state.arguments_size; at += sizeof(Address)) {
    DataSearch search{};
    std::memcpy(&search.wanted, reinterpret_cast<const char*>(state.arguments) + at,
                sizeof search.wanted);
    // What a template of __device__ variables has made is told from the host's variables by nobody.
    if (has_variable_templates() && is_in_module(search.wanted)) continue;
    if (search.wanted < 4096 || variable_near(search.wanted) != nullptr ||
        find_allocation(reinterpret_cast<const void*>(search.wanted))) {
      continue;
    }
    dl_iterate_phdr(&look_for_data, &search);
    if (search.found.end != 0) state.host_ranges.push_back(search.found);
  }
}

// The host's pointer to the function that is launched, or a reference to it, read on the way in.
bool is_pointer_to_kernel(const Block& block, const Access& access) {
  const Address call = reinterpret_cast<Address>(block.grid->kernel.call);
  constexpr Address frames = 64 * 1024;
  if (access.write || access.size != sizeof(void*)) return false;
  Address address = access.address;
  for (int depth = 0; depth < 3; ++depth) {
    if (address - (call - frames) > 2 * frames || address % sizeof(void*) != 0) return false;
    address = *reinterpret_cast<const Address*>(address);
    if (is_in_module(address)) return true;
  }
  return false;
}

// Shared memory of the block that has launched this one, to which a file-scope name may refer.
bool is_in_arena(const void* pointer) {
  for (const auto& block : this_worker().blocks) {
    if (arena_holds(*block, pointer)) return true;
  }
  return false;
}

bool is_kernel_argument(const Block& block, Address address) {
  const BlockState& state = state_of(block);
  return address - state.arguments < state.arguments_size;
}

std::string text_of(const Access& access) {
  return (access.write ? "write of " : "read of ") + bytes_text(access.size);
}

}  // namespace

bool is_host_data(const Block& block, Address address) {
  BlockState& state = state_of(block);
  if (state.host_ranges_of != block.grid_generation) find_host_ranges(block, state);
  for (const HostRange& range : state.host_ranges) {
    if (address >= range.begin && address < range.end) return true;
  }
  return false;
}

void check_other_memory(Block& block, const Access& access) {
  if (is_kernel_argument(block, access.address)) return;
  if (access.address - reinterpret_cast<Address>(&block) < sizeof(Block)) return;
  const bool on_stack = this_worker().fibers.on_a_stack(access.pointer());
  // mma and ldmatrix read the operands of other lanes.
  if (on_stack && is_own_code(access.pc)) return;
  const auto found = find_allocation(access.pointer());
  if (found && access.address + access.size <= found->end()) return;
  const bool module = is_in_module(access.address);
  if (module && !is_host_data(block, access.address)) return;
  if (is_in_arena(access.pointer())) return;
  // The launch itself reads its arguments where the host has left them.
  if (!found && (is_pointer_to_kernel(block, access) || is_own_code(access.pc))) return;
  FindingKind kind = "host pointer in a kernel";
  std::string what = text_of(access), tail;
  if (found) {
    kind = "out of bounds";
    what += ", across the end of an allocation of pinned memory";
  } else if (on_stack) {
    kind = "another thread's local memory";
    what += " at " + hexadecimal(access.address) + ", on the stack of another thread";
  } else if (access.address < 4096) {
    kind = "null pointer";
    what += " at address " + std::to_string(access.address);
  } else {
    what += " at " + hexadecimal(access.address) + ", which is " +
            (module ? "a variable or a constant of the host" : "no memory of the device");
    tail =
        "if the host made it (malloc, new, a variable): a kernel needs memory of cudaMalloc, "
        "filled "
        "by cudaMemcpy, or of cudaMallocManaged";
  }
  {
    Finding f = finding_here(kind, access.pc);
    f.tail = std::move(tail);
    f.what = std::move(what);
    add(std::move(f));
    what = std::string();
  }
  block.grid->record_fault(cudaErrorIllegalAddress, "");
  block.leave();
}

void host_access(const Access& access) {
  if (!heap_area.holds(access.address) || !enabled.memory) return;
  const Region* const region = region_before(access.address);
  if (region == nullptr || access.address >= region->end() || region->kind != MemoryKind::device) {
    return;
  }
  Finding f;
  f.kind = "device pointer on the host";
  f.pc = call_of(access.pc, CallStack::here());
  f.what = text_of(access) + " at byte " + std::to_string(access.address - region->base) + " of " +
           allocation_text(*region);
  tell_region(f, *region, access.address, access.size);
  f.tail = "the host cannot reach memory of cudaMalloc: copy it with cudaMemcpy first";
  add(std::move(f));
}

}  // namespace simt::check
