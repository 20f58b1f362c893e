// Running blocks and grids: what the runtime reports about them.

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>
#include <string>

#include "access.h"
#include "api/internal.h"
#include "faults.h"
#include "findings.h"
#include "hooks.h"
#include "races.h"
#include "reach.h"
#include "scheduler/cluster.h"
#include "scheduler/shared_arena.h"
#include "writers.h"

namespace simt::check {

Enabled enabled;
Area heap_area;

void Area::set(Address address, std::size_t count, Mark value) const {
  std::memset(mark(address), value, count);
}

void Area::forget_notes() const {
  madvise(cells, size / 4 * sizeof(Cell), MADV_DONTNEED);
  madvise(spares, size / 4 * sizeof(Spare), MADV_DONTNEED);
}

bool Area::make(Address first, std::size_t bytes) {
  begin = first;
  marks = reserve<unsigned char>(bytes + 16);
  cells = enabled.race ? reserve<Cell>(bytes / 4 + 4) : nullptr;
  spares = enabled.race ? reserve<Spare>(bytes / 4 + 4) : nullptr;
  if (marks == nullptr || (enabled.race && (cells == nullptr || spares == nullptr))) return false;
  if (bytes >= std::size_t{1} << 30) madvise(marks, bytes + 16, MADV_HUGEPAGE);
  if (cells != nullptr) madvise(cells, (bytes / 4 + 4) * sizeof(Cell), MADV_HUGEPAGE);
  if (spares != nullptr) madvise(spares, (bytes / 4 + 4) * sizeof(Spare), MADV_HUGEPAGE);
  size = bytes;
  return true;
}

namespace {

GridState* grid_state(Grid& grid) {
  void* known = grid.check.load(std::memory_order_acquire);
  if (known != nullptr) return static_cast<GridState*>(known);
  auto* made = new GridState;
  made->start = tick();
  made->met = made->start;
  if (grid.check.compare_exchange_strong(known, made)) {
    remember_grid(grid, made->start);
    return made;
  }
  delete made;
  return static_cast<GridState*>(known);
}

void set_floors(BlockState& state) {
  tick(state);
  state.floor = stamp_of(state.now);
  state.grid_floor = stamp_of(state.grid->met.load(std::memory_order_relaxed));
}

// The cells of a grid that touches much memory must not use up the machine's: then what is known is
// forgotten, and races with it are missed.
void bound_memory() {
  static const long limit = sysconf(_SC_PHYS_PAGES) / 4;
  static std::atomic<unsigned> blocks{0};
  if (heap_area.cells == nullptr || ++blocks % 64 != 0) return;
  long total = 0, resident = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%ld %ld", &total, &resident) != 2) resident = 0;
    std::fclose(file);
  }
  if (resident < limit) return;
  heap_area.forget_notes();
}

void block_began(Block& block) {
  if (heap_area.size == 0) make_heap_area();
  bound_memory();
  if (block.check == nullptr) {
    auto* made = new BlockState;
    made->shared.make(reinterpret_cast<Address>(block.static_shared), arena_room);
    block.check = made;
  }
  BlockState& state = state_of(block);
  state.self = &self();
  state.self->read = {};
  state.grid = grid_state(*block.grid);
  state.places.clear();
  state.places_end = 0;
  state.index = static_cast<std::uint32_t>(block_index()) & ((1u << Note::block_bits) - 1u);
  state.whose = state.index & 0x1ffffu;
  state.who = std::uint64_t{state.index >> 17} << 3;
  state.farthest = block.grid->block_count == 1 ? 2 : 3;
  state.arguments = reinterpret_cast<Address>(block.grid->kernel.call);
  state.arguments_size = block.grid->kernel.call_size;
  state.shared.crowded = block.cluster != nullptr;
  state.acquire = state.cluster_met = 0;
  state.remote_stamp = 0;
  state.warp_fence = state.warp_acquire = {};
  state.objects.clear();
  state.barriers.clear();
  state.copies_under_way.clear();
  state.proxy_fence = state.init_fence = {};
  set_floors(state);
  state.shared.since = state.floor;
  state.ended = false;
}

void block_ended(Block& block) {
  settle_reads();
  BlockState& state = state_of(block);
  if (block.cluster != nullptr && !block.abandoned) check_remote(block);
  state.ended = true;
  if (state.seen) state.grid->seen = true;
  state.seen = false;
  state.shared.set(state.shared.begin, block.grid->static_used.load(), unknown);
  state.shared.set(state.shared.begin + arena_static_room, block.grid->config.dynamic_shared,
                   unknown);
  state.shared.set(state.shared.begin + arena_file_begin, file_shared_used(), unknown);
}

void barrier_passed(Block& block) {
  settle_reads();
  BlockState& state = state_of(block);
  if (block.cluster != nullptr) state.cluster_met = block.cluster->met_time();
  set_floors(state);
}

void warp_operation(Block& block, unsigned warp, unsigned lanes) {
  settle_reads();
  warp_met(block, warp, lanes);
}

void blocks_met(Grid& grid) {
  grid_state(grid)->met.store(tick(), std::memory_order_relaxed);
}

std::uint64_t cluster_met() {
  return tick();
}

void grid_ended(Grid& grid, bool faulted) {
  auto* state = static_cast<GridState*>(grid.check.load());
  if (state != nullptr) {
    if (!state->seen && enabled.init) trust_all();
    if (auto* fences = state->fences.load()) munmap(fences, sizeof(Time) << Note::block_bits);
    delete state;
  }
  // Whatever a kernel's own launch did comes before what the kernel does next.
  if (front != nullptr) {
    BlockState& parent = state_of(current_block());
    tick(parent);
    parent.floor = parent.grid_floor = stamp_of(parent.now);
  }
  // A fault with a report of its own: deadlock, a wrong mask, an assert.
  if (faulted && !grid.report.empty()) tell_fault(grid);
  name_calls(name_of(grid));
  print_new();
}

constexpr CheckHooks hooks = {
    allocated,         has_shape,     freed,        bad_free,        bad_range,     forgot_all,
    written,           copied_out,    trust_all,    block_began,     block_ended,   barrier_passed,
    warp_operation,    named_arrived, named_passed, barriers_differ, barrier_lacks, warp_lacks,
    blocks_met,        cluster_met,   grid_ended,   copy_began,      copy_landed,   release_object,
    acquire_object,    async_access,  async_time,   barrier_made,    barrier_used,  phase_seen,
    phase_ended,       proxy_fence,   error_lost,   error_read,      async_misuse,  object_made,
    misaligned_surface};

// Of the program: an exception that nobody catches. Libraries throw when they meet an error.
std::terminate_handler end_by_exception = nullptr;

void choose(const std::string& list) {
  const auto has = [&](const char* name) {
    return list == "leak" || list.find("all") != std::string::npos ||
           list.find(name) != std::string::npos;
  };
  enabled = {has("memory"), has("race"), has("init"),
             has("sync"),   has("api"),  list.find("leak") != std::string::npos};
}

[[gnu::constructor]] void start() {
  if (const char* chosen = std::getenv("SIMT_CHECK")) choose(chosen);
  if (const char* file = std::getenv("SIMT_CHECK_JSON")) write_json_to(file);
  if (const char* file = std::getenv("SIMT_CHECK_REACH")) record_sites_to(file);
  install();
}

}  // namespace

void make_heap_area() {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (heap_area.size != 0) return;
  // Races alone: a stray access faults by itself, or it is not looked for.
  heap_area.marked = enabled.memory || enabled.init;
  const auto [begin, end] = api::heap_range();
  if (heap_area.make(begin, end - begin)) return;
  std::fputs(
      "simt check: there are not enough addresses to watch all device memory; with a smaller "
      "SIMT_MEMORY_MB there may be\n",
      stderr);
  std::_Exit(1);
}

void install() {
  if (check_hooks != nullptr) return;
  check_hooks = &hooks;
  // What was allocated before has none.
  red_zones = api::heap_used() == 0;
  end_by_exception = std::set_terminate([] {
    print_summary(1);
    end_by_exception();
  });
  on_exit(
      [](int status, void*) {
        append_sites();
        report_lost_errors();
        report_leaks();
        print_summary(status);
      },
      nullptr);
}

}  // namespace simt::check

// Called by programs compiled with --check=LIST or --json; SIMT_CHECK and SIMT_CHECK_JSON go
// before.
extern "C" void simt_choose_checks(const char* list, const char* json) {
  if (*list != '\0' && std::getenv("SIMT_CHECK") == nullptr) simt::check::choose(list);
  if (*json != '\0' && std::getenv("SIMT_CHECK_JSON") == nullptr) simt::check::write_json_to(json);
}
