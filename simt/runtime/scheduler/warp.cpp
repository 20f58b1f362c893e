// Rendezvous of the lanes of a warp.

#include <simt/fault.h>
#include <simt/warp.h>

#include <cstring>

#include "faults/report.h"
#include "scheduler/block.h"
#include "tools/check_hooks.h"

namespace simt {
namespace {

int shuffle_source(WarpOp op, int lane, const WarpArgs& args, bool& in_range) {
  const int width = args.width > 0 && args.width < 32 ? args.width : 32;
  const int first = lane & ~(width - 1);
  const int last = first + width - 1;
  int source = lane;
  in_range = true;
  switch (op) {
    case WarpOp::shfl:
      source = first + (args.argument & (width - 1));
      break;
    case WarpOp::shfl_up:
      source = lane - (args.argument & 31);
      in_range = source >= first;
      break;
    case WarpOp::shfl_down:
      source = lane + (args.argument & 31);
      in_range = source <= last;
      break;
    default:
      source = lane ^ (args.argument & 31);
      // Lanes of earlier segments may be read, those of later ones not.
      in_range = source <= last;
  }
  return source;
}

unsigned word_of(const WarpArgs& args) {
  unsigned word;
  std::memcpy(&word, args.value, sizeof word);
  return word;
}

void set_word(WarpArgs& args, unsigned word) {
  std::memcpy(args.value, &word, sizeof word);
}

// Calls f(lane, args) for each lane.
template <class F>
void for_each_lane(unsigned lanes, WarpArgs* const* args, F f) {
  for (; lanes != 0; lanes &= lanes - 1) {
    const int lane = __builtin_ctz(lanes);
    f(lane, *args[lane]);
  }
}

// Returns those of `absent`, lanes that have left or that the block lacks, which were read.
template <std::size_t Size>
unsigned shuffle(WarpOp op, unsigned lanes, unsigned absent, WarpArgs* const* args) {
  unsigned read = 0;
  unsigned char values[32][Size];
  for_each_lane(lanes, args,
                [&](int lane, WarpArgs& a) { std::memcpy(values[lane], a.value, Size); });
  for_each_lane(lanes, args, [&](int lane, WarpArgs& a) {
    bool in_range;
    const int source = shuffle_source(op, lane, a, in_range);
    // Out of range, or a lane that takes no part (undefined on a GPU): the own value comes back.
    // One that is not there (undefined too) gives zero.
    if (!in_range) return;
    if ((lanes >> source & 1u) != 0) std::memcpy(a.value, values[source], Size);
    if ((absent >> source & 1u) != 0) std::memset(a.value, 0, Size);
    read |= absent & 1u << source;
  });
  return read;
}

unsigned combine(WarpOp op, unsigned a, unsigned b) {
  const int x = static_cast<int>(a);
  const int y = static_cast<int>(b);
  switch (op) {
    case WarpOp::reduce_add:
      return a + b;
    case WarpOp::reduce_min:
      return x < y ? a : b;
    case WarpOp::reduce_max:
      return x > y ? a : b;
    case WarpOp::reduce_umin:
      return a < b ? a : b;
    case WarpOp::reduce_umax:
      return a > b ? a : b;
    case WarpOp::reduce_and:
      return a & b;
    case WarpOp::reduce_or:
      return a | b;
    default:
      return a ^ b;
  }
}

void match(WarpOp op, unsigned lanes, WarpArgs* const* args) {
  unsigned equal[32];
  for_each_lane(lanes, args, [&](int lane, WarpArgs& a) {
    equal[lane] = 0;
    for_each_lane(lanes, args, [&](int other, WarpArgs& b) {
      if (std::memcmp(a.value, b.value, a.size) == 0) equal[lane] |= 1u << other;
    });
  });
  for_each_lane(lanes, args, [&](int lane, WarpArgs& a) {
    const bool all = equal[lane] == lanes;
    a.predicate = all;
    set_word(a, op == WarpOp::match_any || all ? equal[lane] : 0);
  });
}

void vote_or_reduce(WarpOp op, unsigned lanes, WarpArgs* const* args) {
  unsigned ballot = 0;
  unsigned sum = word_of(*args[__builtin_ctz(lanes)]);
  for_each_lane(lanes, args, [&](int lane, WarpArgs& a) {
    if (word_of(a) != 0) ballot |= 1u << lane;
  });
  unsigned result = 0;
  switch (op) {
    case WarpOp::all:
      result = ballot == lanes;
      break;
    case WarpOp::any:
      result = ballot != 0;
      break;
    case WarpOp::uni:
      result = ballot == lanes || ballot == 0;
      break;
    case WarpOp::ballot:
      result = ballot;
      break;
    default:
      for_each_lane(lanes & (lanes - 1), args,
                    [&](int, WarpArgs& a) { sum = combine(op, sum, word_of(a)); });
      result = sum;
  }
  for_each_lane(lanes, args, [&](int, WarpArgs& a) { set_word(a, result); });
}

void work_together(unsigned lanes, WarpArgs* const* args) {
  void* data[32] = {};
  WarpWork work = nullptr;
  for_each_lane(lanes, args, [&](int lane, WarpArgs& a) {
    std::memcpy(&data[lane], a.value, sizeof data[lane]);
    std::memcpy(&work, a.value + sizeof data[lane], sizeof work);
    a.argument = static_cast<int>(lanes);
  });
  if (lanes == 0xffffffffu) {
    // One lane works for all of them: what it reads is none of its own accesses.
    Block& block = current_block();
    block.unwatched = true;
    work(data);
    block.unwatched = false;
  }
}

// Returns the lanes of `absent` that were read.
unsigned compute(WarpOp op, unsigned lanes, unsigned absent, WarpArgs* const* args) {
  switch (op) {
    case WarpOp::sync:
      break;
    case WarpOp::shfl:
    case WarpOp::shfl_up:
    case WarpOp::shfl_down:
    case WarpOp::shfl_xor: {
      const unsigned size = args[__builtin_ctz(lanes)]->size;
      if (size <= 4) return shuffle<4>(op, lanes, absent, args);
      if (size <= 8) return shuffle<8>(op, lanes, absent, args);
      return shuffle<16>(op, lanes, absent, args);
    }
    case WarpOp::together:
      work_together(lanes, args);
      break;
    case WarpOp::match_any:
    case WarpOp::match_all:
      match(op, lanes, args);
      break;
    default:
      vote_or_reduce(op, lanes, args);
  }
  return 0;
}

// Out of line for the sake of the quick path's frame.
[[noreturn, gnu::cold, gnu::noinline]] void outside_own_mask(WarpOp op, unsigned mask,
                                                             unsigned lane, Site site) {
  fault(cudaErrorIllegalInstruction,
        std::string(name_of(op)) + " by lane " + std::to_string(lane) + ", which its own mask " +
            hexadecimal(mask) + " leaves out",
        site);
}

[[noreturn, gnu::cold, gnu::noinline]] void different_operations(const WarpGroup& group, WarpOp op,
                                                                 Site site) {
  fault(cudaErrorIllegalInstruction,
        "lanes of one warp meet in different operations: " + std::string(name_of(op)) + " here, " +
            name_of(group.op) + " at " + describe(group.site) + ", both with mask " +
            hexadecimal(group.mask),
        site);
}

unsigned find_group(Warp& warp, WarpOp op, unsigned mask, Site site) {
  for (unsigned g = 0; g < warp.group_count; ++g) {
    if (warp.groups[g].mask == mask) return g;
  }
  warp.groups[warp.group_count] = {mask, 0, op, site};
  return warp.group_count++;
}

}  // namespace

void Block::finish(unsigned warp_index, unsigned g) {
  Warp& warp = warps[warp_index];
  const WarpGroup group = warp.groups[g];
  warp.groups[g] = warp.groups[--warp.group_count];
  if (group.arrived == 0) return;
  WarpArgs* args[32];
  const unsigned base = warp_index * 32;
  for (unsigned lanes = group.arrived; lanes != 0; lanes &= lanes - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(lanes));
    args[lane] = threads[base + lane].args;
  }
  const unsigned read =
      compute(group.op, group.arrived, ~(group.arrived | alive_lanes(warp_index)), args);
  if (check_hooks != nullptr) {
    const unsigned gone = group.mask & warp.lanes & ~group.arrived;
    const unsigned never = group.mask & read & ~warp.lanes;
    if (gone != 0) {
      check_hooks->warp_lacks(*this, name_of(group.op), group.site, group.mask, gone, true);
    } else if (never != 0) {
      check_hooks->warp_lacks(*this, name_of(group.op), group.site, group.mask, never, false);
    }
    check_hooks->warp_met(*this, warp_index, group.arrived);
  }
  // A warp runs ahead of the others as far as it can, as on a GPU: a barrier that is missing
  // between warps shows. Now and then it goes to the back, since it may be waiting for them in a
  // loop.
  ++warp.meetings;
  const bool ahead = ++meetings % 64 != 0;
  unsigned waiting = 0;  // not the lane that came last
  for (unsigned lanes = group.arrived; lanes != 0; lanes &= lanes - 1) {
    if (threads[base + static_cast<unsigned>(__builtin_ctz(lanes))].wait == Wait::warp) {
      waiting |= lanes & -lanes;
    }
  }
  while (waiting != 0) {
    const auto lane =
        static_cast<unsigned>(ahead ? 31 - __builtin_clz(waiting) : __builtin_ctz(waiting));
    waiting &= ~(1u << lane);
    ahead ? make_ready_next(base + lane) : make_ready(base + lane);
  }
}

void warp_rendezvous(WarpOp op, unsigned mask, WarpArgs& args, Site site) {
  if (!in_kernel()) host_misuse(name_of(op), site);
  Block& block = current_block();
  block.park();
  const unsigned warp_index = block.current >> 5;
  const unsigned bit = 1u << (block.current & 31u);
  Warp& warp = block.warps[warp_index];
  if ((mask & bit) == 0) {
    outside_own_mask(op, mask, block.current & 31u, site);
  }
  const unsigned g = find_group(warp, op, mask, site);
  WarpGroup& group = warp.groups[g];
  if (group.op != op) {
    different_operations(group, op, site);
  }
  group.arrived |= bit;
  Thread& me = block.threads[block.current];
  me.args = &args;
  me.mask = mask;
  me.op = op;
  if ((mask & block.alive_lanes(warp_index) & ~group.arrived) == 0) {
    block.finish(warp_index, g);
    return;
  }
  block.wait(me, Wait::warp, site);
}

// The lanes that stand at the earliest place of the source go on first: those at later places may
// be joined by them there. This is the order in which a GPU brings diverged lanes together again.
void Block::answer_active_mask(unsigned warp_index) {
  Warp& warp = warps[warp_index];
  const unsigned base = warp_index * 32;
  const auto site_of = [&](unsigned lanes) {
    const Thread& thread = threads[base + static_cast<unsigned>(__builtin_ctz(lanes))];
    return Site{thread.file, thread.line};
  };
  const auto same_file = [](const Site& a, const Site& b) {
    return a.file == b.file || std::strcmp(a.file, b.file) == 0;
  };
  Site first = site_of(warp.asking);
  for (unsigned lanes = warp.asking; lanes != 0; lanes &= lanes - 1) {
    const Site site = site_of(lanes);
    if (same_file(site, first) && site.line < first.line) first = site;
  }
  unsigned together = 0;
  for (unsigned lanes = warp.asking; lanes != 0; lanes &= lanes - 1) {
    const Site site = site_of(lanes);
    if (site.line == first.line && same_file(site, first)) together |= lanes & -lanes;
  }
  warp.asking &= ~together;
  asking_count -= static_cast<unsigned>(__builtin_popcount(together));
  for (unsigned lanes = together; lanes != 0; lanes &= lanes - 1) {
    const unsigned id = base + static_cast<unsigned>(__builtin_ctz(lanes));
    threads[id].result = static_cast<int>(together);
    make_ready(id);
  }
}

unsigned active_mask(Site site) {
  if (!in_kernel()) host_misuse("__activemask", site);
  Block& block = current_block();
  block.park();
  Thread& me = block.threads[block.current];
  block.warps[block.current >> 5].asking |= 1u << (block.current & 31u);
  ++block.asking_count;
  block.wait(me, Wait::active_mask, site);
  return static_cast<unsigned>(me.result);
}

}  // namespace simt
