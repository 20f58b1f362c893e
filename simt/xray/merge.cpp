// Lanes to warps: see block.h.

#include <algorithm>
#include <cstring>

#include "block.h"

namespace simt::xray {
namespace {

// Lanes that will still do something before the others can be taken as gone: neither returned nor
// waiting for anybody.
std::uint32_t lanes_to_come(const Block& block, unsigned w) {
  const Warp& warp = block.warps[w];
  std::uint32_t coming = warp.lanes & block.unstarted_lanes(w);
  for (std::uint32_t live = warp.live; live != 0; live &= live - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(live));
    if (!block.is_waiting(block.threads[w * 32 + lane])) coming |= 1u << lane;
  }
  const unsigned me = rank_of_running(block);
  if (me / 32 == w) coming |= 1u << me % 32;
  return coming;
}

void count_global(AccessCounts& c, const WarpAccess& access) {
  Sectors sectors;
  count_sectors(access, sectors);
  c.sectors += c.kind == Kind::atomic ? count_atomic_sectors(access) : sectors.count;
  c.least += sectors.least;
  c.worst = std::max(c.worst, sectors.count);
  const bool write = c.kind == Kind::store;
  for (unsigned i = 0; i < sectors.count; ++i) c.fresh += is_fresh(sectors.number[i], write);
  std::uint64_t first = ~std::uint64_t{0};
  for (std::uint32_t m = access.mask; m != 0; m &= m - 1)
    first = std::min(first, access.address[static_cast<unsigned>(__builtin_ctz(m))]);
  c.misaligned += first % sector_bytes != 0;
}

void count_shared(AccessCounts& c, const WarpAccess& access) {
  const Wavefronts w = count_wavefronts(access);
  c.wavefronts += w.count;
  c.ideal += w.least;
  c.worst = std::max(c.worst, w.count);
}

// Addresses are an array's id and the offset in it.
void count_in_array(AccessCounts& c, const BlockState& state, const WarpAccess& access) {
  constexpr std::uint64_t offsets = (std::uint64_t{1} << array_shift) - 1;
  WarpAccess inside = access;
  std::uint64_t id = 0;
  for (std::uint32_t m = access.mask; m != 0; m &= m - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(m));
    id = access.address[lane] >> array_shift;
    inside.address[lane] &= offsets;
  }
  c.array = state.arrays[id];
  const unsigned different = count_addresses(access);
  c.addresses += different;
  c.unlike += different > 1;
  c.worst = std::max(c.worst, different);
  if (c.space != Space::local) return;
  unsigned sectors = 0, least = 0;
  count_local_sectors(inside, sectors, least);
  c.sectors += sectors;
  c.least += least;
}

// The first of a block, then ever rarer ones: early and late iterations both show.
void keep_sample(AccessCounts& c, const BlockState& state, unsigned w, const WarpAccess& access) {
  const std::uint64_t n = c.requests;
  const bool rare = n > 8 && (n & (n - 1)) == 0;
  if (n > 8 && !rare) return;
  const Sample sample{state.index, w, n - 1, access};
  if (c.samples.size() < samples_of_access)
    c.samples.push_back(sample);
  else
    c.samples[8 + static_cast<unsigned>(__builtin_ctzll(n)) % 4] = sample;
}

void count(BlockState& state, unsigned w, const Event& event, const WarpAccess& access) {
  AccessCounts& c = state.counts.accesses[reinterpret_cast<const void*>(event.pc)];
  c.space = event.space();
  c.kind = event.kind();
  c.size = access.size;
  ++c.requests;
  const auto lanes = static_cast<unsigned>(__builtin_popcount(access.mask));
  c.lanes += lanes;
  c.bytes_asked += std::uint64_t{lanes} * access.size;
  if (c.space == Space::shared)
    count_shared(c, access);
  else if (c.space == Space::local || c.space == Space::constant)
    count_in_array(c, state, access);
  else
    count_global(c, access);
  if (c.kind == Kind::atomic) c.meetings += most_on_one_address(access);
  if (lanes > 1 && !c.strides_differ) {
    const std::int64_t stride = stride_of(access);
    if (stride == no_stride || (c.stride != no_stride && c.stride != stride))
      c.strides_differ = true;
    else
      c.stride = stride;
  }
  keep_sample(c, state, w, access);
}

// Instructions are compared by their place in the code.
void note_split(BlockState& state, WarpTrace& trace, std::uint32_t group, const void* pc) {
  const std::uint32_t before = trace.last_group;
  // Some of the lanes that were together are here, some are not.
  if (trace.last_pc != nullptr && (group & before) == group && group != before) {
    ++state.counts.code[trace.last_pc].splits;
  }
  trace.last_group = group;
  trace.last_pc = pc;
}

void drop_taken(WarpTrace& trace) {
  for (unsigned lane = 0; lane < 32; ++lane) {
    const std::uint32_t head = trace.head[lane], left = trace.count[lane] - head;
    if (head == 0) continue;
    if (left != 0)
      std::memmove(trace.events[lane], trace.events[lane] + head, left * sizeof(Event));
    trace.count[lane] = left;
    trace.head[lane] = 0;
  }
}

}  // namespace

void merge(Block& block, BlockState& state, unsigned w, std::uint32_t lanes, bool drain) {
  if (state.warps[w] == nullptr) return;
  WarpTrace& trace = *state.warps[w];
  const std::uint32_t awaited = drain ? 0 : lanes_to_come(block, w);
  std::uint32_t active = 0;
  for (unsigned lane = 0; lane < 32; ++lane)
    if (trace.head[lane] < trace.count[lane]) active |= 1u << lane;
  active &= lanes;
  WarpAccess access;
  while (active != 0 && (awaited & ~active) == 0) {
    std::uint64_t lowest = ~std::uint64_t{0};
    std::uint32_t group = 0;
    for (std::uint32_t m = active; m != 0; m &= m - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(m));
      const std::uint64_t pc = trace.events[lane][trace.head[lane]].pc;
      if (pc < lowest) {
        lowest = pc;
        group = 0;
      }
      if (pc == lowest) group |= 1u << lane;
    }
    access.mask = 0;
    Event first{};
    for (std::uint32_t m = group; m != 0; m &= m - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(m));
      const Event& event = trace.events[lane][trace.head[lane]];
      if (access.mask == 0) first = event;
      // The pieces of a copy may differ in size, and a pointer may be to either memory: then they are two.
      if ((event.what ^ first.what) >> 48 != 0) continue;
      access.address[lane] = event.address();
      access.mask |= 1u << lane;
      if (++trace.head[lane] == trace.count[lane]) active &= ~(1u << lane);
    }
    access.size = first.size();
    ++trace.instructions;
    ++trace.all_instructions;
    note_split(state, trace, access.mask, reinterpret_cast<const void*>(first.pc));
    if (first.kind() != Kind::code) {
      count(state, w, first, access);
      continue;
    }
    CodeCounts& c = state.counts.code[reinterpret_cast<const void*>(first.pc)];
    ++c.times;
    c.lanes += static_cast<unsigned>(__builtin_popcount(access.mask));
  }
  drop_taken(trace);
}

void merge_all(Block& block, BlockState& state) {
  for (unsigned w = 0; w * 32 < block.thread_count; ++w) merge(block, state, w, ~0u, true);
}

void note(Block& block, BlockState& state, const Event& event) {
  const unsigned id = rank_of_running(block), w = id / 32, lane = id % 32;
  if (id >= block.thread_count) return;  // the launch copies its arguments; no thread runs yet
  WarpTrace& trace = state.warp(w);
  if (__builtin_expect(trace.count[lane] == room, 0)) {
    merge(block, state, w, ~0u, false);
    for (unsigned tries = 0; trace.count[lane] == room; ++tries) {
      // Those that it waits for may themselves wait in a way that cannot be seen: then it goes alone.
      if (tries > 4 * block.thread_count)
        merge(block, state, w, ~0u, true);
      else
        block.yield();
      merge(block, state, w, ~0u, false);
    }
  }
  trace.events[lane][trace.count[lane]++] = event;
}

}  // namespace simt::xray
