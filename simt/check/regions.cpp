// Blocks of memory, running blocks and grids: what the runtime reports about them.

#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>

#include "access.h"
#include "api_internal.h"
#include "check_hooks.h"
#include "findings.h"
#include "shared_arena.h"
#include "state.h"

namespace simt::check {

Enabled enabled;
std::atomic<std::uint64_t> regions_version{1};

namespace {

// Freed memory is not handed out again before this much more has been freed.
constexpr std::size_t quarantine_bytes = std::size_t{64} << 20;
constexpr std::size_t quarantine_blocks = 1024;

struct Regions {
  std::shared_mutex mutex;
  std::map<std::uintptr_t, Region*> by_base;
  std::deque<Region*> freed;
  std::size_t freed_bytes = 0;
};

Regions& regions() {
  static Regions* const it = new Regions;
  return *it;
}

std::size_t cell_count(const Region& region) {
  return region.size / 4 + 2;
}

void drop(Region* region) {
  if (region->cells != nullptr) munmap(region->cells, cell_count(*region) * sizeof(Cell));
  if (region->written != nullptr) munmap(region->written, region->size);
  delete region;
}

void allocated(const void* base, std::size_t size, MemoryKind kind, const void* caller) {
  auto* region = new Region{
      reinterpret_cast<std::uintptr_t>(base), size, kind, caller, nullptr, false, nullptr, nullptr};
  if (enabled.race && kind != MemoryKind::pinned)
    region->cells = reserve<Cell>(cell_count(*region));
  if (enabled.init && kind == MemoryKind::device) region->written = reserve<char>(size);
  Regions& all = regions();
  const std::unique_lock lock(all.mutex);
  Region*& slot = all.by_base[region->base];
  if (slot != nullptr) drop(slot);  // pinned memory that was freed
  slot = region;
  ++regions_version;
}

// A kernel that was not compiled for checking may have written anything.
void trust_all() {
  Regions& all = regions();
  const std::unique_lock lock(all.mutex);
  for (const auto& [base, region] : all.by_base) {
    if (region->written != nullptr) std::memset(region->written, 1, region->size);
  }
}

bool freed(void* base, std::size_t size, const void* caller) {
  Regions& all = regions();
  const std::unique_lock lock(all.mutex);
  ++regions_version;
  const auto found = all.by_base.find(reinterpret_cast<std::uintptr_t>(base));
  if (found == all.by_base.end()) return false;
  Region* const region = found->second;
  region->freed = true;
  region->freed_at = caller;
  if (!enabled.memory || size > quarantine_bytes) {
    all.by_base.erase(found);
    drop(region);
    return false;
  }
  all.freed.push_back(region);
  all.freed_bytes += size;
  while (all.freed_bytes > quarantine_bytes || all.freed.size() > quarantine_blocks) {
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
  if (!enabled.memory) return;
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const Region* region = region_before(address);
  if (region == nullptr || region->base != address || !region->freed) return;
  Finding f;
  f.kind = "double free";
  f.pc = caller;
  f.what = "cudaFree of the " + std::to_string(region->size) + "-byte block";
  f.allocated_at = region->allocated_at;
  f.freed_at = region->freed_at;
  add(std::move(f));
}

void forgot_all() {
  Regions& all = regions();
  const std::unique_lock lock(all.mutex);
  for (const auto& [base, region] : all.by_base) drop(region);
  all.by_base.clear();
  all.freed.clear();
  all.freed_bytes = 0;
  ++regions_version;
}

void written(const void* to, std::size_t size) {
  if (!enabled.init) return;
  const auto address = reinterpret_cast<std::uintptr_t>(to);
  if (front != nullptr && arena_holds(current_block(), to)) {
    Block& block = current_block();
    std::memset(state_of(block).written + (static_cast<const char*>(to) - block.static_shared), 1,
                size);
    return;
  }
  const Region* region = region_before(address);
  if (region == nullptr || region->written == nullptr || address + size > region->end()) return;
  std::memset(region->written + (address - region->base), 1, size);
}

GridState* grid_state(Grid& grid) {
  void* known = grid.check.load(std::memory_order_acquire);
  if (known != nullptr) return static_cast<GridState*>(known);
  auto* made = new GridState;
  if (grid.check.compare_exchange_strong(known, made)) return made;
  delete made;
  return static_cast<GridState*>(known);
}

void block_began(Block& block) {
  if (block.check == nullptr) {
    auto* made = new BlockState;
    made->cells = reserve<Cell>(arena_room / 4 + 2);
    made->written = reserve<char>(arena_room);
    block.check = made;
  }
  BlockState& state = state_of(block);
  GridState* const grid = grid_state(*block.grid);
  state.grid = grid;
  state.places.clear();
  state.places_end = 0;
  state.index = block_index();
  state.barrier = state.acquire = 0;
  state.warp_met = state.warp_fence = state.warp_acquire = {};
}

void block_ended(Block& block) {
  settle_reads();
  BlockState& state = state_of(block);
  if (state.seen) state.grid->seen = true;
  state.seen = false;
  if (enabled.init) {
    std::memset(state.written, 0, block.grid->static_used.load());
    std::memset(state.written + arena_static_room, 0, block.grid->config.dynamic_shared);
  }
}

void barrier_passed(Block& block) {
  settle_reads();
  BlockState& state = state_of(block);
  state.barrier = state.grid->tick();
}

void warp_met(Block& block, unsigned warp) {
  settle_reads();
  BlockState& state = state_of(block);
  state.warp_met[warp] = state.grid->tick();
}

void blocks_met(Grid& grid) {
  GridState* const state = grid_state(grid);
  state->met.store(state->tick(), std::memory_order_relaxed);
}

void grid_ended(Grid& grid, bool faulted) {
  auto* state = static_cast<GridState*>(grid.check.load());
  if (state != nullptr) {
    if (!state->seen && enabled.init) trust_all();
    if (auto* fences = state->fences.load()) munmap(fences, grid.block_count * sizeof(*fences));
    delete state;
  }
  // A fault with a report of its own: deadlock, a wrong mask, an assert.
  if (faulted && !grid.report.empty()) count_fault();
  print_new();
}

constexpr CheckHooks hooks = {allocated, freed,       bad_free,    forgot_all,
                              written,   block_began, block_ended, barrier_passed,
                              warp_met,  blocks_met,  grid_ended};

void choose(const std::string& list) {
  const auto has = [&](const char* name) {
    return list == "all" || list.find(name) != std::string::npos;
  };
  enabled = {has("memory"), has("race"), has("init")};
}

[[gnu::constructor]] void start() {
  if (const char* chosen = std::getenv("SIMT_CHECK")) choose(chosen);
  install();
}

}  // namespace

Region* adopt(const Allocation& allocation) {
  allocated(reinterpret_cast<const void*>(allocation.base), allocation.size, allocation.kind,
            nullptr);
  Region* const region = region_before(allocation.base);
  if (region->written != nullptr) std::memset(region->written, 1, region->size);
  return region;
}

Region* region_before(std::uintptr_t address) {
  Regions& all = regions();
  const std::shared_lock lock(all.mutex);
  auto it = all.by_base.upper_bound(address);
  return it == all.by_base.begin() ? nullptr : (--it)->second;
}

void install() {
  if (check_hooks != nullptr) return;
  check_hooks = &hooks;
  // What was allocated before has none.
  red_zones = api::heap_used() == 0;
  on_exit([](int status, void*) { print_summary(status); }, nullptr);
}

}  // namespace simt::check

// Called by programs compiled with --check=LIST; SIMT_CHECK goes before.
extern "C" void simt_choose_checks(const char* list) {
  if (std::getenv("SIMT_CHECK") == nullptr) simt::check::choose(list);
}
