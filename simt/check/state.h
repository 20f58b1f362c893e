#pragma once

// What the checks remember: of each block of memory, of each word, of each running block and grid.
//
// Time is a counter of the grid that goes up at every barrier, meeting, fence and atomic. An access
// notes the time; two accesses are ordered when an event that orders their threads lies between.

#include <simt/allocation.h>
#include <sys/mman.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "block.h"
#include "grid.h"

namespace simt::check {

struct Enabled {
  bool memory = true, race = true, init = true;
};
extern Enabled enabled;

template <class T>
T* reserve(std::size_t count) {
  void* memory = mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<T*>(memory);
}

// Who touched a word, when and from where.
struct Access {
  std::uint64_t pc : 47;
  std::uint64_t thread : 10;
  std::uint64_t atomic : 1;
  std::uint64_t loose : 1;  // volatile, in global memory: takes part in no race
  std::uint64_t valid : 1;
  std::uint64_t bytes : 4;  // which of the word
  std::uint32_t time;
  std::uint32_t block;
};
static_assert(sizeof(Access) == 16);

// The shadow of 4 bytes.
struct Cell {
  std::atomic<std::uint32_t> lock;
  std::uint32_t owner;  // the grid (the block, in shared memory) it is about: others are history
  Access write;
  Access read[2];  // of different threads, as far apart as were seen
};

// A block of device, managed or pinned memory.
struct Region {
  std::uintptr_t base;
  std::size_t size;
  MemoryKind kind;
  const void* allocated_at;
  const void* freed_at;
  bool freed;
  Cell* cells;    // null: not watched for races
  char* written;  // a byte for each; null: counts as written

  std::uintptr_t end() const { return base + size; }
};

// The region that holds the address, or the last one before it; null if there is none. Freed ones
// are found while they are in quarantine.
Region* region_before(std::uintptr_t address);
// Makes a region of an allocation that was there before the checks were.
Region* adopt(const Allocation& allocation);
// Counts up when regions come or go.
extern std::atomic<std::uint64_t> regions_version;

struct GridState {
  std::atomic<bool> seen{false};  // some access of it was: its code is checked code
  std::atomic<std::uint32_t> time{0};
  std::atomic<std::uint32_t> met{0};                         // last meeting of its blocks
  std::atomic<std::atomic<std::uint32_t>*> fences{nullptr};  // per block: its last fence

  std::uint32_t tick() { return time.fetch_add(1, std::memory_order_relaxed) + 1; }
};

struct BlockState {
  GridState* grid = nullptr;
  std::uint32_t index = 0;    // of the block in its grid
  std::uint32_t barrier = 0;  // time of its last barrier
  std::uint32_t acquire = 0;  // and of the last atomic
  std::array<std::uint32_t, 32> warp_met{}, warp_fence{}, warp_acquire{};
  std::vector<SharedPlace> places;  // a copy: the grid's grows under a lock
  std::size_t places_end = 0;
  Cell* cells = nullptr;  // of its shared memory
  char* written = nullptr;
  bool seen = false;
};

inline BlockState& state_of(Block& block) {
  return *static_cast<BlockState*>(block.check);
}

inline std::uint32_t block_index() {
  return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
}

struct Conflict {
  Access with;  // not valid: there is none
  bool writes;
};
// Enters an access into the word's cell, and compares it with those before.
Conflict meet_cell(Cell& cell, std::uint32_t owner, const Access& me, bool write,
                   const BlockState& state);
void note_fence();
void note_acquire();

void install();

}  // namespace simt::check
