// Which accesses are ordered.
//
// Threads of a block are ordered by its barriers, those of a warp also by warp operations, warps by
// named barriers and objects such as mbarriers, blocks by grid and cluster barriers. A fence after
// one access and an atomic before the other order them too, wherever in the block (in the warp,
// within a block) they were made: that is more than a GPU promises, so that no correct use of flags
// and counters is called a race.

#include <algorithm>

#include "access.h"
#include "tools/check_hooks.h"

namespace simt::check {
namespace {

std::atomic<Time> last_time{1};

bool same_cluster(const Block& block, std::uint32_t other) {
  const dim3 &size = block.cluster_size, &grid = block.grid->config.grid;
  const unsigned x = other % grid.x, y = other / grid.x % grid.y, z = other / grid.x / grid.y;
  return x / size.x == blockIdx.x / size.x && y / size.y == blockIdx.y / size.y &&
         z / size.z == blockIdx.z / size.z;
}

void join(Clock& into, const Clock& from) {
  for (std::size_t i = 0; i < into.size(); ++i) into[i] = std::max(into[i], from[i]);
}

// What a warp hands on when it arrives, and what it learns when it goes on.
void give(BlockState& state, unsigned warp, Meeting& meeting) {
  tick(state);
  join(meeting.clock, state.warps[warp]);
  meeting.clock[warp] = state.now;
}

void take(BlockState& state, unsigned warp, const Meeting& meeting) {
  join(state.warps[warp], meeting.clock);
  tick(state);
}

// No other block can reach the object.
bool is_private(const Block& block, const void* object) {
  return block.cluster == nullptr &&
         state_of(block).shared.holds(reinterpret_cast<Address>(object));
}

}  // namespace

Time tick() {
  return last_time.fetch_add(1, std::memory_order_relaxed) + 1;
}

Time time_now() {
  return last_time.load(std::memory_order_relaxed);
}

void tick(BlockState& state) {
  state.now = tick();
  state.moment = stamp_of(state.now) | state.who;
}

bool ordered(const Note& before, const BlockState& state, unsigned thread) {
  const Time time = before.time();
  if (before.block() != state.index) {
    const Block& block = current_block();
    if (time < state.cluster_met && same_cluster(block, before.block())) return true;
    const auto* fences = state.grid->fences.load(std::memory_order_acquire);
    return fences != nullptr && time < state.acquire &&
           time < fences[before.block()].load(std::memory_order_relaxed);
  }
  if (before.thread() == thread || before.stamp < state.floor) return true;
  const unsigned theirs = before.warp(), mine = thread >> 5;
  if (theirs == mine) {
    if (time < state.warp_met[mine]) return true;
    const auto& lanes = state.lanes[mine];
    if (lanes != nullptr && time < (*lanes)[thread & 31u][before.thread() & 31u]) return true;
  }
  if (time < state.warps[mine][theirs]) return true;
  return time < state.warp_fence[theirs] && time < state.warp_acquire[mine];
}

void warp_met(Block& block, unsigned warp, unsigned lanes) {
  BlockState& state = state_of(block);
  tick(state);
  if ((block.alive_lanes(warp) & ~lanes) == 0) {
    state.warp_met[warp] = state.now;
    return;
  }
  auto& known = state.lanes[warp];
  if (known == nullptr) known = std::make_unique<std::array<Clock, 32>>();
  Clock all{};
  for (unsigned rest = lanes; rest != 0; rest &= rest - 1) {
    join(all, (*known)[static_cast<unsigned>(__builtin_ctz(rest))]);
  }
  for (unsigned rest = lanes; rest != 0; rest &= rest - 1) {
    all[static_cast<unsigned>(__builtin_ctz(rest))] = state.now;
  }
  for (unsigned rest = lanes; rest != 0; rest &= rest - 1) {
    (*known)[static_cast<unsigned>(__builtin_ctz(rest))] = all;
  }
}

void named_arrived(Block& block, unsigned id) {
  BlockState& state = state_of(block);
  give(state, rank_of_running(block) >> 5, state.named[id]);
}

void named_passed(Block& block, unsigned id, std::uint32_t warps) {
  BlockState& state = state_of(block);
  for (; warps != 0; warps &= warps - 1) {
    take(state, static_cast<unsigned>(__builtin_ctz(warps)), state.named[id]);
  }
  state.named[id] = {};
}

void release_object(const void* object) {
  Block& block = current_block();
  BlockState& state = state_of(block);
  if (!is_private(block, object)) note_fence();
  give(state, rank_of_running(block) >> 5, state.objects[reinterpret_cast<Address>(object)]);
}

void acquire_object(const void* object) {
  Block& block = current_block();
  BlockState& state = state_of(block);
  if (!is_private(block, object)) note_acquire();
  const auto known = state.objects.find(reinterpret_cast<Address>(object));
  if (known != state.objects.end()) take(state, rank_of_running(block) >> 5, known->second);
}

void note_fence() {
  Block& block = current_block();
  BlockState& state = state_of(block);
  auto* fences = state.grid->fences.load(std::memory_order_acquire);
  if (fences == nullptr) {
    auto* fresh_fences = reserve<std::atomic<Time>>(std::size_t{1} << Note::block_bits);
    if (fresh_fences == nullptr) return;
    if (state.grid->fences.compare_exchange_strong(fences, fresh_fences)) {
      fences = fresh_fences;
    } else {
      munmap(fresh_fences, sizeof(Time) << Note::block_bits);
    }
  }
  tick(state);
  state.warp_fence[rank_of_running(block) >> 5] = state.now;
  fences[state.index].store(state.now, std::memory_order_relaxed);
}

void note_acquire() {
  const Block& block = current_block();
  BlockState& state = state_of(block);
  state.acquire = state.warp_acquire[rank_of_running(block) >> 5] = time_now();
}

}  // namespace simt::check
