#include "access.h"

#include <link.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <string>

#include "api_internal.h"
#include "findings.h"
#include "report.h"
#include "shared_arena.h"
#include "state.h"
#include "worker.h"

namespace simt::check {
namespace {

using Address = std::uintptr_t;

// Two writes of the same value harm nobody, and the value is known only when the second has
// happened: then this is looked at again.
struct OpenRace {
  const char* at = nullptr;  // null: none
  unsigned size = 0;
  char before[16];
  Finding finding;
};

// A plain read and an atomic update. Loops around atomicCAS begin with such a read: it is one if
// the reader makes no atomic access of its own to the word before the next barrier.
struct OpenRead {
  Address address;
  std::uint64_t reader;  // block and thread
  Finding finding;
};

struct Self {
  std::vector<OpenRead> open_reads;
  Region* recent[4] = {};
  unsigned turn = 0;
  std::uint64_t version = 0;
  Address known_begin = 0, known_end = 0;  // memory of a module: device variables and the like
  OpenRace open;
  std::atomic<Address> writing{0};  // a store that may not have happened yet
  Self* next = nullptr;
};

std::atomic<Self*> all_selves{nullptr};

// One load, as of simt::front: see simt/self.h.
__attribute__((tls_model("initial-exec"))) __thread Self* mine = nullptr;

[[gnu::noinline, gnu::cold]] void make_self() {
  mine = new Self;  // OS threads of the runtime do not end
  mine->next = all_selves.load();
  while (!all_selves.compare_exchange_weak(mine->next, mine)) {
  }
}

inline Self& self() {
  if (__builtin_expect(mine == nullptr, 0)) make_self();
  return *mine;
}

std::atomic<Address> heap_begin{0}, heap_end{0};

[[gnu::noinline, gnu::cold]] void find_heap() {
  const auto [begin, end] = api::heap_range();
  heap_begin = begin;
  heap_end = end;
}

inline bool is_on_heap(Address address) {
  if (__builtin_expect(heap_end.load(std::memory_order_relaxed) == 0, 0)) find_heap();
  return address >= heap_begin.load(std::memory_order_relaxed) &&
         address < heap_end.load(std::memory_order_relaxed);
}

std::string bytes_text(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " byte" : " bytes");
}

std::uint64_t rank_of(const Block& block) {
  return std::uint64_t{block_index()} << 10 | rank_of_running(block);
}

std::string who_text(const Block& block, std::uint32_t index, unsigned thread) {
  const dim3& size = block.grid->config.grid;
  const uint3 at{index % size.x, index / size.x % size.y, index / size.x / size.y};
  return "thread " + describe(index_of_thread(thread)) + " of block " + describe(at);
}

Finding finding_here(const char* kind, const void* pc) {
  const Block& block = current_block();
  Finding f;
  f.kind = kind;
  f.pc = pc;
  f.rank = rank_of(block);
  f.who = "by " + who_text(block, block_index(), rank_of_running(block));
  f.kernel = name_of(*block.grid);
  return f;
}

// The access must not happen: the grid ends here.
[[noreturn]] void stop(cudaError_t error = cudaErrorIllegalAddress) {
  Block& block = current_block();
  block.grid->record_fault(error, "");
  block.leave();
}

std::string access_text(bool write, std::size_t size) {
  return std::string(write ? "write of " : "read of ") + bytes_text(size);
}

[[noreturn, gnu::noinline, gnu::cold]] void bad_access(const char* kind, std::string what,
                                                       const void* pc, const Region* region) {
  {
    Finding f = finding_here(kind, pc);
    f.what = std::move(what);
    what.clear();
    what.shrink_to_fit();
    if (region != nullptr) {
      f.allocated_at = region->allocated_at;
      f.freed_at = region->freed ? region->freed_at : nullptr;
    }
    add(std::move(f));
  }
  stop();
}

std::string element(std::string_view name, std::size_t offset, std::size_t size) {
  if (name.empty()) {
    return offset % size == 0 ? "element " + std::to_string(offset / size)
                              : "byte " + std::to_string(offset);
  }
  if (offset % size == 0) return std::string(name) + "[" + std::to_string(offset / size) + "]";
  return std::string(name) + " at byte " + std::to_string(offset);
}

// "s[3]" of an address in shared memory.
std::string shared_name(Block& block, std::size_t offset, std::size_t size) {
  if (offset >= arena_static_room) {
    return element("dynamic shared memory", offset - arena_static_room, size);
  }
  for (const SharedPlace& place : state_of(block).places) {
    if (offset - place.offset < place.variable->size()) {
      return element(place.variable->name(), offset - place.offset,
                     std::min(size, place.variable->size()));
    }
  }
  return "shared memory";
}

const SharedPlace* shared_place(Block& block, std::size_t offset) {
  BlockState& state = state_of(block);
  if (state.places_end != block.grid->static_used.load(std::memory_order_relaxed)) {
    const std::lock_guard lock(block.grid->mutex);
    state.places = block.grid->places;
    state.places_end = block.grid->static_used.load(std::memory_order_relaxed);
  }
  const SharedPlace* found = nullptr;
  for (const SharedPlace& place : state.places) {
    if (place.offset > offset) break;
    found = &place;
  }
  return found;
}

void check_shared_bounds(Block& block, std::size_t offset, std::size_t size, bool write,
                         const void* pc) {
  if (offset >= arena_static_room) {
    const std::size_t at = offset - arena_static_room, end = block.grid->config.dynamic_shared;
    if (at + size <= end) return;
    bad_access("out of bounds",
               access_text(write, size) + " at " + element("dynamic shared memory", at, size) +
                   ", of which the launch gave " + bytes_text(end),
               pc, nullptr);
  }
  const SharedPlace* const place = shared_place(block, offset);
  if (place == nullptr) {
    bad_access("out of bounds", access_text(write, size) + " before the first shared variable", pc,
               nullptr);
  }
  const std::size_t at = offset - place->offset, end = place->variable->size();
  if (at + size <= end) return;
  bad_access("out of bounds",
             access_text(write, size) + " at " + element(place->variable->name(), at, size) +
                 ", past the end of shared '" + place->variable->name() + "' of " +
                 bytes_text(end) + " (" + std::to_string(end / size) + " elements of this size)",
             pc, nullptr);
}

[[noreturn, gnu::noinline, gnu::cold]] void bad_region(const Region* region, Address address,
                                                       std::size_t size, bool write,
                                                       const void* pc) {
  if (region == nullptr) {
    bad_access("out of bounds", access_text(write, size) + " in no block of device memory", pc,
               nullptr);
  }
  const std::string block = "the " + std::to_string(region->size) + "-byte block";
  if (region->freed && address < region->end()) {
    bad_access("use after free",
               access_text(write, size) + " at byte " + std::to_string(address - region->base) +
                   " of " + block,
               pc, region);
  }
  const std::string past = address < region->end()
                               ? ", across the end of "
                               : ", " + bytes_text(address - region->end()) + " past the end of ";
  bad_access("out of bounds", access_text(write, size) + past + block, pc, region);
}

Region* region_of(Self& me, Address address, std::size_t size, bool write, const void* pc) {
  const std::uint64_t version = regions_version.load(std::memory_order_relaxed);
  if (me.version != version) {
    std::fill(std::begin(me.recent), std::end(me.recent), nullptr);
    me.version = version;
  }
  for (Region* region : me.recent) {
    if (region != nullptr && address - region->base < region->size &&
        address + size <= region->end()) {
      return region;
    }
  }
  Region* region = region_before(address);
  if (region == nullptr || address >= region->end()) {
    // Allocated before the checks were loaded.
    const auto found = find_allocation(reinterpret_cast<const void*>(address));
    if (found) region = adopt(*found);
  }
  const bool good = region != nullptr && !region->freed && address + size <= region->end();
  if (!good) {
    if (enabled.memory) bad_region(region, address, size, write, pc);
    return nullptr;
  }
  me.recent[me.turn++ % 4] = region;
  return region;
}

// threadIdx and the like. Device memory may begin right behind.
bool is_thread_local(Address address) {
  const auto tls = reinterpret_cast<Address>(__builtin_thread_pointer());
#if defined(__x86_64__)
  return address - (tls - 64 * 1024) < 66 * 1024;
#else
  return address - tls < 64 * 1024;
#endif
}

struct ModuleSearch {
  Address wanted, begin = 0, end = 0;
};

int look_in_module(dl_phdr_info* info, std::size_t, void* data) {
  auto& search = *static_cast<ModuleSearch*>(data);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    Address begin = 0;
    if (header.p_type == PT_LOAD) begin = info->dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_TLS) begin = reinterpret_cast<Address>(info->dlpi_tls_data);
    if (begin == 0 || search.wanted < begin || search.wanted >= begin + header.p_memsz) continue;
    search.begin = begin;
    search.end = begin + header.p_memsz;
    return 1;
  }
  return 0;
}

// The host's pointer to the function that is launched, or a reference to it, read on the way in.
bool is_pointer_to_kernel(const Block& block, Address address, std::size_t size, bool write) {
  const Address call = reinterpret_cast<Address>(block.grid->kernel.call);
  constexpr Address frames = 64 * 1024;
  if (write || size != sizeof(void*)) return false;
  for (int depth = 0; depth < 3; ++depth) {
    if (address - (call - frames) > 2 * frames || address % sizeof(void*) != 0) return false;
    address = *reinterpret_cast<const Address*>(address);
    ModuleSearch search{address};
    if (dl_iterate_phdr(&look_in_module, &search) != 0) return true;
  }
  return false;
}

bool is_kernel_argument(const Block& block, Address address) {
  const Kernel& kernel = block.grid->kernel;
  return address - reinterpret_cast<Address>(kernel.call) < kernel.call_size;
}

// Neither shared nor device memory: may a kernel touch it?
[[gnu::noinline]] void check_elsewhere(Self& me, Block& block, Address address, std::size_t size,
                                       bool write, const void* pc) {
  if (is_kernel_argument(block, address)) return;
  if (address - reinterpret_cast<Address>(&block) < sizeof(Block)) return;
  const void* const pointer = reinterpret_cast<const void*>(address);
  if (this_worker().fibers.on_a_stack(pointer) || is_cluster_shared(pointer)) return;
  ModuleSearch search{address};
  if (dl_iterate_phdr(&look_in_module, &search) != 0) {
    me.known_begin = search.begin;
    me.known_end = search.end;
    return;
  }
  if (const auto found = find_allocation(pointer)) {
    if (address + size <= found->end()) return;
    bad_access("out of bounds",
               access_text(write, size) + ", across the end of a block of pinned memory", pc,
               nullptr);
  }
  // The launch itself reads its arguments where the host has left them.
  if (is_pointer_to_kernel(block, address, size, write) || is_own_code(pc)) return;
  if (address < 4096) {
    bad_access("null pointer", access_text(write, size) + " at address " + std::to_string(address),
               pc, nullptr);
  }
  bad_access("host pointer in a kernel",
             access_text(write, size) + " at " + hexadecimal(address) +
                 ", which is no memory of the device",
             pc, nullptr);
}

[[gnu::noinline]] void uninitialised(std::string where, std::size_t size, const void* pc,
                                     const Region* region) {
  const char* const kind = "uninitialised";
  if (!is_news(kind, pc, nullptr, rank_of(current_block()))) return;
  Finding f = finding_here(kind, pc);
  f.what = access_text(false, size) + " that nobody wrote, " + where;
  if (region != nullptr) f.allocated_at = region->allocated_at;
  add(std::move(f));
}

// A copy of a structure takes its padding along: something of it must have been written.
bool was_written(const char* written, std::size_t size, How how) {
  if (how == How::copy) return std::memchr(written, 1, size) != nullptr;
  for (std::size_t i = 0; i < size; ++i) {
    if (written[i] == 0) return false;
  }
  return true;
}

// Waits until another OS thread's store to this word has happened.
void await_store(const Self& me, Address address, std::size_t size) {
  for (const Self* other = all_selves.load(); other != nullptr; other = other->next) {
    if (other == &me) continue;
    for (int i = 0; i < 100000; ++i) {
      const Address writing = other->writing.load(std::memory_order_acquire);
      if (writing + 16 <= address || writing >= address + size) break;
    }
  }
}

[[gnu::noinline]] void race_found(Self& me, const Access& now, const Access& before, bool write,
                                  bool before_writes, Address address, std::size_t size,
                                  const Region* region) {
  Block& block = current_block();
  const void* const pc = reinterpret_cast<const void*>(std::uint64_t{now.pc});
  const void* const other = reinterpret_cast<const void*>(std::uint64_t{before.pc});
  const bool plain_writes = write && before_writes && !now.atomic && !before.atomic;
  if (!plain_writes && !now.atomic && !before.atomic &&
      !is_news("race", pc, other, rank_of(block))) {
    return;
  }
  Finding f = finding_here("race", pc);
  f.other = other;
  const auto verb = [](bool writes, bool atomic) {
    return std::string(atomic ? "changed atomically by " : writes ? "written by " : "read by ");
  };
  f.who = verb(write, now.atomic) + who_text(block, now.block, now.thread);
  f.other_who = verb(before_writes, before.atomic) + who_text(block, before.block, before.thread);
  const std::string lacks =
      before.block != now.block ? "blocks of a grid are not ordered"
      : before.thread >> 5 != now.thread >> 5
          ? "there is no barrier between them"
          : "there is no barrier or __syncwarp between them (lanes do not run in lockstep)";
  if (region != nullptr) {
    f.what = "two threads, one element: " + element("", address - region->base, size) + " of the " +
             std::to_string(region->size) + "-byte block";
    f.allocated_at = region->allocated_at;
  } else {
    const std::size_t offset = address - reinterpret_cast<Address>(block.static_shared);
    shared_place(block, offset);
    f.what = "two threads, one element: " + shared_name(block, offset, size) + " in shared memory";
  }
  f.tail = lacks;
  const bool reads_atomic = (!write && before.atomic) || (!before_writes && now.atomic);
  if (reads_atomic) {
    const Access& reader = write ? before : now;
    // Other blocks' loops may be between their two steps right now.
    if ((write && before.block != now.block) || me.open_reads.size() >= 256) return;
    me.open_reads.push_back(
        {address, std::uint64_t{reader.block} << 10 | reader.thread, std::move(f)});
    return;
  }
  if (!plain_writes) return add(std::move(f));
  if (me.open.at != nullptr) return;
  if (before.block != now.block) await_store(me, address, size);
  me.open.size = static_cast<unsigned>(std::min<std::size_t>(size, sizeof me.open.before));
  me.open.at = reinterpret_cast<const char*>(address);
  std::memcpy(me.open.before, me.open.at, me.open.size);
  me.open.finding = std::move(f);
}

void check_race(Self& me, Cell* cells, std::uint32_t owner, std::size_t offset, Address address,
                std::size_t size, How how, bool write, const void* pc, const Region* region) {
  Block& block = current_block();
  const BlockState& state = state_of(block);
  Access now{};
  now.pc = reinterpret_cast<std::uint64_t>(pc);
  now.thread = rank_of_running(block);
  // A volatile flag in global memory is how old programs spell an atomic.
  now.atomic = how == How::atomic || how == How::atomic_store;
  now.loose = region != nullptr && (how == How::volatile_read || how == How::volatile_write);
  now.valid = 1;
  now.time = state.grid->time.load(std::memory_order_relaxed);
  now.block = state.index;
  const std::size_t end = offset + size;
  for (std::size_t at = offset; at < end;) {
    const std::size_t next = std::min((at & ~std::size_t{3}) + 4, end);
    now.bytes = ((1u << (next - at)) - 1u) << (at & 3u);
    Cell& cell = cells[at / 4];
    const Conflict other = meet_cell(cell, owner, now, write, state);
    if (other.with.valid) {
      race_found(me, now, other.with, write, other.writes, address, size, region);
      return;
    }
    at = next;
  }
}

}  // namespace

void settle_reads() {
  settle_writes();
  Self& me = self();
  for (OpenRead& open : me.open_reads) add(std::move(open.finding));
  me.open_reads.clear();
}

void misaligned(const void* pointer, std::size_t size, bool write, const void* pc) {
  if (!enabled.memory) return;
  {
    Finding f = finding_here("misaligned", pc);
    f.what = access_text(write, size) + " at " + hexadecimal(reinterpret_cast<Address>(pointer)) +
             ", which is no multiple of " + std::to_string(size);
    add(std::move(f));
  }
  stop(cudaErrorMisalignedAddress);
}

void bad_index(const char* type, long long index, const void* pc) {
  if (!enabled.memory) return;
  {
    Finding f = finding_here("out of bounds", pc);
    f.what = "index " + std::to_string(index) + " of an array of type " + type;
    add(std::move(f));
  }
  stop();
}

void settle_writes() {
  Self& me = self();
  me.writing.store(0, std::memory_order_release);
  if (me.open.at == nullptr) return;
  const bool changed = std::memcmp(me.open.before, me.open.at, me.open.size) != 0;
  me.open.at = nullptr;
  if (changed) {
    add(std::move(me.open.finding));
  }
  me.open.finding = Finding{};
}

void kernel_access(const void* pointer, std::size_t size, How how, bool write, const void* pc) {
  const auto address = reinterpret_cast<Address>(pointer);
  const bool on_heap = is_on_heap(address);
  if (!on_heap && is_thread_local(address)) return;
  Block& block = current_block();
  const Fiber& fiber = *block.running;
  if (pointer >= fiber.stack_low && pointer < fiber.stack_high) return;
  Self& me = self();
  state_of(block).seen = true;
  if (how == How::atomic || how == How::volatile_read) note_acquire();
  if (address >= me.known_begin && address < me.known_end) return;
  if (me.writing.load(std::memory_order_relaxed) != 0 || me.open.at != nullptr) settle_writes();
  Cell* cells = nullptr;
  char* written = nullptr;
  std::size_t offset = 0;
  std::uint32_t owner = 0;
  const Region* region = nullptr;
  if (const Address at = address - reinterpret_cast<Address>(block.static_shared);
      at < arena_room) {
    offset = at;
    if (enabled.memory) check_shared_bounds(block, offset, size, write, pc);
    const BlockState& state = state_of(block);
    cells = state.cells;
    written = state.written;
    owner = static_cast<std::uint32_t>(block.number);
  } else if (on_heap) {
    region = region_of(me, address, size, write, pc);
    if (region == nullptr) return;
    offset = address - region->base;
    cells = region->cells;
    written = region->written;
    owner = block.grid->generation;
  } else {
    if (enabled.memory) check_elsewhere(me, block, address, size, write, pc);
    return;
  }
  if (enabled.init && written != nullptr) {
    if ((!write || how == How::atomic) && !was_written(written + offset, size, how)) {
      shared_place(block, offset);
      uninitialised(region != nullptr ? element("", offset, size) + " of the " +
                                            std::to_string(region->size) + "-byte block"
                                      : shared_name(block, offset, size) + " in shared memory",
                    size, pc, region);
      std::memset(written + offset, 1, size);  // once is enough
    }
    if (write) std::memset(written + offset, 1, size);
  }
  if (enabled.race && cells != nullptr) {
    if (how == How::atomic && !me.open_reads.empty()) {
      const std::uint64_t reader = rank_of(block);
      std::erase_if(me.open_reads, [&](const OpenRead& open) {
        return open.address == address && open.reader == reader;
      });
    }
    check_race(me, cells, owner, offset, address, size, how, write, pc, region);
  }
  if (write && size <= 16) me.writing.store(address, std::memory_order_release);
}

void host_access(const void* pointer, std::size_t size, bool write, const void* pc) {
  const auto address = reinterpret_cast<Address>(pointer);
  if (!is_on_heap(address) || !enabled.memory) return;
  const Region* const region = region_before(address);
  if (region == nullptr || address >= region->end() || region->kind != MemoryKind::device) return;
  Finding f;
  f.kind = "device pointer on the host";
  f.pc = pc;
  f.what = access_text(write, size) + " at byte " + std::to_string(address - region->base) +
           " of the " + std::to_string(region->size) + "-byte block";
  f.allocated_at = region->allocated_at;
  add(std::move(f));
}

}  // namespace simt::check
