#pragma once

// What xray keeps for the block that an OS thread runs: for each CUDA thread the accesses that have
// not been put together with those of its warp yet.
//
// Threads run one after the other, so lanes are not in lockstep. Their accesses are, afterwards: of
// the lanes of a warp those with the lowest address of code go first, together. A loop's code comes
// before what follows it, so lanes that have left a loop wait for those that have not: the
// convergence that a GPU's compiler arranges. A lane that has run far ahead lets the others go on,
// so what is kept is bounded.

#include <cstdint>
#include <memory>
#include <vector>

#include "counts.h"
#include "scheduler/block.h"

namespace simt::xray {

struct Event {
  std::uint64_t pc;
  std::uint64_t what;  // 48 address, 8 size, 4 kind, 4 space

  static Event of(const void* pc, std::uint64_t address, unsigned size, Kind kind, Space space) {
    return {reinterpret_cast<std::uint64_t>(pc), address | std::uint64_t{size} << 48 |
                                                     std::uint64_t(kind) << 56 |
                                                     std::uint64_t(space) << 60};
  }
  std::uint64_t address() const { return what & 0xffffffffffffu; }
  unsigned size() const { return static_cast<unsigned>(what >> 48) & 255u; }
  Kind kind() const { return static_cast<Kind>(what >> 56 & 15u); }
  Space space() const { return static_cast<Space>(what >> 60); }
};

inline constexpr unsigned room = 512;  // events of a lane

// An array of a thread: where it is now. Of those that are told of at one place in the code the last one counts.
struct OwnArray {
  std::uint64_t base = 0, size = 0;
  unsigned id = 0;  // in BlockState::arrays
  Space space = Space::local;
};
inline constexpr unsigned own_arrays = 8;  // of a lane
// An event's address in one: its id, and the offset.
inline constexpr unsigned array_shift = 24;

struct WarpTrace {
  std::uint32_t count[32] = {}, head[32] = {};
  std::uint64_t last_read[32] = {};  // by an atomic: a swap may belong to it
  std::uint32_t last_group = 0;      // lanes of the instruction before
  const void* last_pc = nullptr;
  std::uint32_t instructions = 0;  // in this phase
  std::uint64_t all_instructions = 0;
  OwnArray own[32][own_arrays];
  std::uint8_t own_count[32] = {};
  Event events[32][room];
};

struct BlockState {
  LaunchCounts counts;
  unsigned generation = 0;  // of the grid that they are of
  bool counting = false;
  bool draws = false;  // its timeline is kept
  std::uint64_t index = 0;
  std::uint64_t arguments = 0, arguments_size = 0;
  std::vector<const char*> arrays;  // names; constant variables too
  std::unique_ptr<WarpTrace> warps[32];

  unsigned array(const char* name) {
    for (unsigned i = 0; i < arrays.size(); ++i)
      if (arrays[i] == name) return i;
    arrays.push_back(name);
    return static_cast<unsigned>(arrays.size() - 1);
  }

  WarpTrace& warp(unsigned w) {
    if (warps[w] == nullptr) warps[w] = std::make_unique<WarpTrace>();
    return *warps[w];
  }
};

inline BlockState& state_of(const Block& block) {
  return *static_cast<BlockState*>(block.check);
}

void note(Block& block, BlockState& state, const Event& event);
// Puts the accesses of these lanes together. Without `drain`, only as far as no lane is missing that
// may still come.
void merge(Block& block, BlockState& state, unsigned warp, std::uint32_t lanes, bool drain);
void merge_all(Block& block, BlockState& state);

// Whether no access of this launch has touched the sector before; remembers it.
bool is_fresh(std::uint64_t sector, bool write);
void forget_sectors();
// The same of a __device__ variable's memory (tsan.cpp).
bool is_fresh_in_variable(std::uint64_t address, bool write);
void forget_variables();

void install();

}  // namespace simt::xray
