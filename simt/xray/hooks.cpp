// What the runtime tells: blocks and grids that begin and end, barriers, asynchronous copies.

#include <simt/array_shape.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "api/internal.h"
#include "block.h"
#include "report.h"
#include "scheduler/grid.h"
#include "scheduler/shared_arena.h"
#include "tools/check_hooks.h"
#include "watched.h"

namespace simt::xray {
namespace {

// One bit per sector of the device's memory, for loads and for stores.
struct Touched {
  std::uint64_t begin = 0, end = 0;
  std::atomic<std::uint64_t>* bits[2] = {};
  std::size_t words = 0;
};
Touched touched;

std::mutex states_mutex;
std::vector<BlockState*>& states() {
  static auto* const all = new std::vector<BlockState*>;
  return *all;
}

std::uint64_t sampled_blocks() {
  static const std::uint64_t wanted = [] {
    const char* text = std::getenv("SIMT_XRAY_BLOCKS");
    return text != nullptr ? std::strtoull(text, nullptr, 10) : 0;
  }();
  return wanted;
}

// Evenly over the grid, and always the first.
bool is_sampled(std::uint64_t index, std::uint64_t count) {
  const std::uint64_t wanted = sampled_blocks();
  if (wanted == 0 || wanted >= count) return true;
  // index is taken when it is the first with this share of the wanted ones.
  return index == 0 || index * wanted / count != (index - 1) * wanted / count;
}

void begin_touched() {
  static const bool done = [] {
    const auto [begin, end] = api::heap_range();
    touched.begin = begin;
    touched.end = end;
    touched.words = (end - begin) / sector_bytes / 64 + 1;
    for (auto*& bits : touched.bits) {
      void* memory = mmap(nullptr, touched.words * 8, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      bits = memory == MAP_FAILED ? nullptr : static_cast<std::atomic<std::uint64_t>*>(memory);
    }
    return true;
  }();
  (void)done;
}

void block_began(Block& block) {
  begin_touched();
  if (block.check == nullptr) {
    auto* made = new BlockState;
    block.check = made;
    const std::lock_guard lock(states_mutex);
    states().push_back(made);
  }
  BlockState& state = state_of(block);
  const Grid& grid = *block.grid;
  if (state.generation != grid.generation) {
    state.generation = grid.generation;
    state.counts = {};
  }
  state.index =
      blockIdx.x + std::uint64_t{gridDim.x} * (blockIdx.y + std::uint64_t{gridDim.y} * blockIdx.z);
  state.counting = is_sampled(state.index, grid.block_count);
  state.draws = state.counting && state.index == 0;
  state.arguments = reinterpret_cast<std::uint64_t>(grid.kernel.call);
  state.arguments_size = grid.kernel.call_size;
  if (!state.counting) return;
  ++state.counts.blocks_counted;
  for (unsigned w = 0; w * 32 < block.thread_count; ++w) {
    if (state.warps[w] == nullptr) continue;
    WarpTrace& trace = *state.warps[w];
    std::fill(std::begin(trace.count), std::end(trace.count), 0u);
    std::fill(std::begin(trace.head), std::end(trace.head), 0u);
    std::fill(std::begin(trace.last_read), std::end(trace.last_read), 0u);
    trace.last_group = trace.instructions = 0;
    trace.last_pc = nullptr;
    trace.all_instructions = 0;
    std::fill(std::begin(trace.own_count), std::end(trace.own_count), std::uint8_t{0});
  }
}

void end_phase(Block& block, BlockState& state, Place place) {
  if (!state.draws) return;
  Phase phase{};
  for (unsigned w = 0; w * 32 < block.thread_count; ++w) {
    if (state.warps[w] == nullptr) continue;
    phase[w] = state.warps[w]->instructions;
    state.warps[w]->instructions = 0;
  }
  if (state.counts.timeline.size() < most_phases) {
    state.counts.timeline.push_back(phase);
    state.counts.timeline_ends.push_back(place);
  }
}

void block_ended(Block& block) {
  BlockState& state = state_of(block);
  if (!state.counting) return;
  merge_all(block, state);
  end_phase(block, state, {nullptr, 0});
  std::uint64_t busiest = 0;
  for (unsigned w = 0; w * 32 < block.thread_count; ++w) {
    const std::uint64_t n = state.warps[w] != nullptr ? state.warps[w]->all_instructions : 0;
    busiest = std::max(busiest, n);
    state.counts.all_warps += n;
    ++state.counts.warps;
  }
  state.counts.busiest_warp += busiest;
}

// The barrier that all threads have reached.
Place place_of_barrier(const Block& block) {
  for (std::uint64_t open = block.open_barriers; open != 0; open &= open - 1) {
    const BarrierState& barrier = block.barriers[static_cast<unsigned>(__builtin_ctzll(open))];
    if (barrier.arrived + block.exited_count() >= block.thread_count)
      return {barrier.site.file, barrier.site.line};
  }
  return {nullptr, 0};
}

void barrier_passed(Block& block) {
  BlockState& state = state_of(block);
  if (!state.counting) return;
  merge_all(block, state);
  const Place place = place_of_barrier(block);
  ++state.counts.barriers;
  if (place.file != nullptr) ++state.counts.barrier_places[place];
  end_phase(block, state, place);
}

void warp_met(Block& block, unsigned warp, unsigned lanes) {
  BlockState& state = state_of(block);
  if (!state.counting) return;
  ++state.counts.warp_meets;
  merge(block, state, warp, lanes, true);
}

void named_passed(Block& block, unsigned, std::uint32_t warps) {
  BlockState& state = state_of(block);
  if (!state.counting) return;
  for (; warps != 0; warps &= warps - 1)
    merge(block, state, static_cast<unsigned>(__builtin_ctz(warps)), ~0u, true);
}

void grid_ended(Grid& grid, bool) {
  LaunchCounts total;
  total.kernel = name_of(grid);
  total.identity = grid.kernel.identity;
  total.grid = {grid.config.grid.x, grid.config.grid.y, grid.config.grid.z};
  total.block = {grid.config.block.x, grid.config.block.y, grid.config.block.z};
  total.dynamic_shared = grid.config.dynamic_shared;
  total.static_shared = grid.static_used.load();
  total.launches = 1;
  total.blocks = grid.block_count;
  {
    const std::lock_guard lock(states_mutex);
    for (BlockState* state : states()) {
      if (state->generation != grid.generation) continue;
      total.add(state->counts);
      state->counts = {};
    }
  }
  add_launch(std::move(total));
  forget_sectors();
}

void copy_began(void* to, const void* from, std::size_t size, const void* pc) {
  (void)to;
  if (from != nullptr) watch(from, static_cast<unsigned>(size), Kind::async_load, pc);
}

// The engine moves whole sectors; which warp asked for them does not matter.
void async_access(AsyncEvent event, const void* at, std::size_t size, const void* pc,
                  std::uint64_t) {
  const bool load = event == AsyncEvent::global_read;
  const bool store = event == AsyncEvent::global_write || event == AsyncEvent::global_update;
  if ((!load && !store) || front == nullptr || size == 0) return;
  BlockState& state = state_of(current_block());
  if (!state.counting) return;
  AccessCounts& c = state.counts.accesses[pc];
  c.space = Space::global;
  c.kind = load ? Kind::bulk_load : Kind::bulk_store;
  const auto begin = reinterpret_cast<std::uint64_t>(at);
  const std::uint64_t first = begin / sector_bytes, last = (begin + size - 1) / sector_bytes;
  ++c.requests;
  c.lanes += 1;
  c.bytes_asked += size;
  c.sectors += last - first + 1;
  c.least += (size + sector_bytes - 1) / sector_bytes;
  for (std::uint64_t s = first; s <= last; ++s) c.fresh += is_fresh(s, store);
}

void matrix_row(const void* row, const void* pc) {
  watch(row, 16, Kind::load, pc);
}

constexpr CheckHooks hooks = {
    .allocated = [](const void*, std::size_t, MemoryKind, const void*) {},
    .has_shape = [](const void*, const ArrayShape&) {},
    .freed = [](void*, std::size_t, const void*) { return false; },
    .bad_free = [](const void*, const void*) {},
    .bad_range = [](const char*, const void*, std::size_t) {},
    .forgot_all = [] {},
    .written = [](const void*, std::size_t) {},
    .copied_out = [](const void*, std::size_t) {},
    .library_wrote = [] {},
    .block_began = block_began,
    .block_ended = block_ended,
    .barrier_passed = barrier_passed,
    .warp_met = warp_met,
    .named_arrived = [](Block&, unsigned) {},
    .named_passed = named_passed,
    .barriers_differ = [](Block&, Site, Site) {},
    .barrier_lacks = [](Block&, Site, unsigned) {},
    .warp_lacks = [](Block&, const char*, Site, unsigned, unsigned, bool) {},
    .blocks_met = [](Grid&) {},
    .cluster_met = []() -> std::uint64_t { return 0; },
    .grid_ended = grid_ended,
    .copy_began = copy_began,
    .copy_landed = [](void*, const void*, std::size_t, const void*) {},
    .release = [](const void*) {},
    .acquire = [](const void*) {},
    .async_access = async_access,
    .async_time = []() -> std::uint64_t { return 0; },
    .barrier_made = [](const void*, const void*) {},
    .barrier_used = [](const void*, bool, const void*) {},
    .phase_seen = [](const void*, const void*) {},
    .phase_ended = [](const void*, const void*) {},
    .proxy_fence = [](bool) {},
    .error_lost = [](LostError) {},
    .error_read = [] {},
    .async_misuse = [](FindingKind, const char*, unsigned, const void*) {},
    .matrix_row = matrix_row,
};

[[gnu::constructor]] void start() {
  install();
}

}  // namespace

bool is_fresh(std::uint64_t sector, bool write) {
  const std::uint64_t address = sector * sector_bytes;
  if (address - touched.begin >= touched.end - touched.begin)
    return is_fresh_in_variable(address, write);
  std::atomic<std::uint64_t>* const bits = touched.bits[write ? 1 : 0];
  if (bits == nullptr) return true;
  const std::uint64_t at = (address - touched.begin) / sector_bytes,
                      bit = std::uint64_t{1} << at % 64;
  std::atomic<std::uint64_t>& word = bits[at / 64];
  if ((word.load(std::memory_order_relaxed) & bit) != 0) return false;
  return (word.fetch_or(bit, std::memory_order_relaxed) & bit) == 0;
}

void forget_sectors() {
  forget_variables();
  for (auto* bits : touched.bits)
    if (bits != nullptr) madvise(static_cast<void*>(bits), touched.words * 8, MADV_DONTNEED);
}

std::pair<std::uint64_t, std::uint64_t> heap_bounds() {
  return {touched.begin, touched.end};
}

void install() {
  if (check_hooks != nullptr) return;
  check_hooks = &hooks;
  on_exit([](int, void*) { write_at_exit(); }, nullptr);
}

}  // namespace simt::xray
