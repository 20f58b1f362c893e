#include <simt/fault.h>
#include <simt/shared.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>

#include "scheduler/cluster.h"
#include "scheduler/grid.h"
#include "scheduler/shared_arena.h"
#include "scheduler/worker.h"
#include "tools/check_hooks.h"

namespace simt {
namespace {

// The layout of an arena: a guard page's worth of nothing, the static area, the dynamic area, and
// nothing again, so that an access far outside faults.
constexpr std::size_t guard = 64 * 1024;
constexpr std::size_t static_room = arena_static_room;
constexpr std::size_t room = arena_room;
static_assert(static_room % 4096 == 0 && room % 4096 == 0);

// A GPU's shared memory is mostly zero where nobody has written yet, and programs that forget to
// write it seem to work. A checked one says so; then, or if one asks for it, the value shows it
// too.
int fill_byte() {
  const char* const wanted = std::getenv("SIMT_SHARED_FILL");
  if (wanted != nullptr) return std::atoi(wanted) & 255;
  return check_hooks != nullptr ? 0xFF : 0;
}

void wipe(void* memory, std::size_t size) {
  static const int byte = fill_byte();
  std::memset(memory, byte, size);
}

}  // namespace

namespace {

struct FileShared {
  std::mutex mutex;
  std::vector<SharedPlace> places;
  std::atomic<std::size_t> used{0};
};

FileShared& file_variables() {
  static auto* const it = new FileShared;
  return *it;
}

std::size_t place_in_file(const SharedVar& variable) {
  FileShared& all = file_variables();
  const std::lock_guard lock(all.mutex);
  for (const SharedPlace& place : all.places) {
    if (place.variable == &variable) return place.offset;
  }
  const std::size_t alignment = std::max<std::size_t>(variable.alignment(), 1);
  const std::size_t offset =
      (all.used.load() + shared_red_zone + alignment - 1) / alignment * alignment;
  if (offset + variable.size() > arena_file_room) {
    std::fprintf(stderr, "simt: there is no room for '%s' among the file's __shared__ variables\n",
                 variable.name());
    std::_Exit(1);
  }
  all.places.push_back({&variable, arena_file_begin + offset});
  all.used.store(offset + variable.size());
  return arena_file_begin + offset;
}

}  // namespace

std::vector<SharedPlace> file_places() {
  FileShared& all = file_variables();
  const std::lock_guard lock(all.mutex);
  return all.places;
}

std::size_t file_shared_used() {
  return file_variables().used.load(std::memory_order_relaxed);
}

void make_arena(Block& block) {
  block.arena_size = guard + room + guard;
  void* memory = mmap(nullptr, block.arena_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  block.arena = static_cast<char*>(memory);
  block.static_shared = block.arena + guard;
  block.dynamic_shared = block.static_shared + static_room;
  if (mprotect(block.static_shared, room, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
  wipe(block.static_shared, arena_file_begin);
}

void free_arena(Block& block) {
  munmap(block.arena, block.arena_size);
}

bool arena_holds(const Block& block, const void* address) {
  const char* byte = static_cast<const char*>(address);
  return byte >= block.static_shared && byte < block.static_shared + room;
}

void wipe_arena(Block& block, const Grid& grid) {
  wipe(block.static_shared, grid.static_used.load(std::memory_order_relaxed));
  wipe(block.dynamic_shared, grid.config.dynamic_shared);
  if (const std::size_t used = file_shared_used()) {
    wipe(block.static_shared + arena_file_begin, used);
  }
}

void* SharedVar::find_place() {
  Block& block = current_block();
  const std::size_t offset = block.grid->place(*this);
  place_.store(static_cast<std::uint64_t>(block.grid_generation) << 32 | offset,
               std::memory_order_relaxed);
  return block.static_shared + offset;
}

namespace {

const Block& first_block() {
  Worker& worker = this_worker();
  if (worker.blocks.empty()) worker.blocks.push_back(std::make_unique<Block>(worker.fibers));
  return *worker.blocks.front();
}

}  // namespace

void* thread_dynamic_shared() {
  return first_block().dynamic_shared;
}

void* thread_file_shared(const SharedVar& variable) {
  return first_block().static_shared + place_in_file(variable);
}

bool is_shared(const void* pointer) {
  return front != nullptr && arena_holds(current_block(), pointer);
}

bool is_local(const void* pointer) {
  return front != nullptr && this_worker().fibers.on_a_stack(pointer);
}

std::size_t shared_offset(const void* pointer) {
  if (is_shared(pointer)) {
    return static_cast<std::size_t>(static_cast<const char*>(pointer) - front->static_shared);
  }
  return front != nullptr ? cluster_offset(pointer) : reinterpret_cast<std::size_t>(pointer);
}

void* shared_pointer(std::size_t offset) {
  if (front == nullptr) return reinterpret_cast<void*>(offset);
  if (offset < room) return front->static_shared + offset;
  const std::size_t rank = (offset >> 24) - 1, place = offset & 0xffffffu;
  if (offset >= std::size_t{1} << 24 && rank < cluster_blocks() && place < room) {
    const Cluster* const cluster = current_block().cluster;
    return (cluster != nullptr ? cluster->block(static_cast<unsigned>(rank)).static_shared
                               : front->static_shared) +
           place;
  }
  return reinterpret_cast<void*>(offset);
}

std::size_t cluster_offset(const void* pointer) {
  const Block* const owner = current_block().shared_owner(pointer);
  if (owner == nullptr) return reinterpret_cast<std::size_t>(pointer);
  return (std::size_t{owner->cluster_rank} + 1) << 24 |
         static_cast<std::size_t>(static_cast<const char*>(pointer) - owner->static_shared);
}

std::size_t dynamic_shared_size() {
  return front != nullptr ? current_block().grid->config.dynamic_shared : 0;
}

}  // namespace simt
