#pragma once

// What the checks remember: of memory, of each word, of each running block and grid.
//
// Memory that kernels may touch lies in a few areas: the heap, the variables of modules, each
// block's shared memory. An area has a mark for every byte and a cell for every word, both found by
// address alone. Most accesses find their marks `good`, and are done with memory and init.
//
// Time is a counter that goes up at every barrier, warp operation, fence and start of a block, and
// never goes back. An access records its block's last time; two accesses are ordered when an event
// that orders their threads lies between.

#include <simt/allocation.h>
#include <simt/array_shape.h>
#include <sys/mman.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "call_stack.h"
#include "scheduler/block.h"
#include "scheduler/grid.h"

namespace simt::check {

using Address = std::uintptr_t;
using Time = std::uint64_t;  // 38 bits

struct Enabled {
  bool memory = true, race = true, init = true, sync = true, api = true;
  bool leak = false;  // leaks count as findings
};
extern Enabled enabled;

template <class T>
T* reserve(std::size_t count) {
  void* memory = mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<T*>(memory);
}

// Who touched a word, when and from where. The stamp begins with the time, so that stamps compare
// as times do.
struct Note {
  std::uint64_t stamp;  // 38 time, 2 flags, 10 thread, 4 bytes of the word, 10 flags
  std::uint64_t place;  // 47 address of the code, 17 of the block's index
  std::uint64_t time() const { return stamp >> time_shift; }
  unsigned thread() const { return static_cast<unsigned>(stamp >> 14) & 1023u; }
  unsigned warp() const { return thread() >> 5; }
  unsigned bytes() const { return static_cast<unsigned>(stamp >> 10) & 15u; }
  bool is_atomic() const { return (stamp & atomic_flag) != 0; }
  const void* pc() const { return reinterpret_cast<const void*>(place >> 17); }
  // The rest of the block's index is in the flags.
  std::uint32_t block() const {
    return static_cast<std::uint32_t>((place & 0x1ffffu) | (stamp >> 3 & 127u) << 17);
  }

  static constexpr std::uint64_t atomic_flag =
      1;                                        // an atomic operation, or volatile in global memory
  static constexpr std::uint64_t far_flag = 2;  // of reads: no two farther apart need be kept
  static constexpr std::uint64_t bulk_flag = 2;  // of a write: by a bulk copy
  // For reads the spare has another thread's of the same moment, of this warp. (For writes it is
  // the cell's lock.) Or of another warp of the block.
  static constexpr std::uint64_t near_flag = 4;
  static constexpr std::uint64_t wide_flag = std::uint64_t{1} << 25;
  // Another note of the kind may be in the word's spare notes.
  static constexpr std::uint64_t more_flag = std::uint64_t{1} << 24;
  static constexpr unsigned block_bits = 24;
  static constexpr unsigned time_shift = 26;
  // What a reader's note says of the spare one.
  static constexpr std::uint64_t of_spare = more_flag | far_flag | near_flag | wide_flag;
};

constexpr std::uint64_t stamp_of(Time time) {
  return time << Note::time_shift;
}

// The shadow of 4 bytes, half a cache line: large arrays are read at the speed of their shadows.
struct alignas(32) Cell {
  Note write, read;
};
// What few words need. The second write is one that was not ordered with the first (both atomic, or
// of the same value), the reads are of different threads, as far apart as were seen.
using Spare = Cell;

// One mark per byte. Zero, which fresh memory has, means: look closer. Inside: of a variable of
// this block that nobody has written yet.
enum Mark : unsigned char { unknown = 0, good = 1, pending = 2, inside = 3 };

struct Area {
  Address begin = 0;
  std::size_t size = 0;
  unsigned char* marks = nullptr;
  Cell* cells = nullptr;
  Spare* spares = nullptr;  // one for each cell, looked at where the cell says so
  bool crowded = true;      // several OS threads may touch it at once
  bool marked = true;       // false: marks are of no interest
  std::uint64_t since = 0;  // of shared memory: stamps below are those of blocks that had it before

  bool holds(Address address) const { return address - begin < size; }
  unsigned char* mark(Address address) const { return marks + (address - begin); }
  void set(Address address, std::size_t count, Mark value) const;
  void forget_notes() const;
  bool make(Address first, std::size_t bytes);  // false: no addresses left
};

extern Area heap_area;
void make_heap_area();

// An allocation of device, managed or pinned memory.
struct Region {
  Address base;
  std::size_t size;
  MemoryKind kind;
  CallStack allocated_by, freed_by;
  bool freed;
  bool trusted;                  // counts as written
  std::string name{};            // given by the host
  Address data = 0;              // and where what it names begins: kernels may touch nothing before
  ArrayShape shape{};            // by the type of the pointer to it
  const char* object = nullptr;  // "texture object", "surface object"; null: memory

  Address start() const { return data > base ? data : base; }
  Address end() const { return base + size; }
};

// The region that holds the address, or the last one before it; null if there is none. Freed ones
// are found while they are in quarantine.
Region* region_before(Address address);
// Makes a region of an allocation that was there before the checks were.
Region* adopt(const Allocation& allocation);

// A __device__ or __constant__ variable of checked code, or a file's __shared__ one (then each OS
// thread has its own).
struct Variable {
  const char* name;
  Address base;
  std::size_t size;
  ArrayShape shape;
};
// The variable that holds the address, or has it in the zone around it; null if there is none.
const Variable* variable_near(Address address);
// Whether the program has templates of __device__ variables, whose addresses are not known.
bool has_variable_templates();
// The area of the module whose data holds the address; null if it has no device variables.
const Area* module_area(Address address);

using Clock = std::array<Time, 32>;  // of warps, or of the lanes of one

struct GridState {
  std::atomic<bool> seen{false};  // some access of it was: its code is checked code
  Time start = 0;
  std::atomic<Time> met{0};                         // last meeting of its blocks
  std::atomic<std::atomic<Time>*> fences{nullptr};  // per block: its last fence
};

// Arrivals at a named barrier, or at an object that threads meet through.
struct Meeting {
  Clock clock{};
};

// A barrier in shared memory: when it was initialised, and by which warp.
struct MadeBarrier {
  Time time;
  unsigned warp;
  // Per warp, the last wait that found the phase before the present one over; 0: none.
  Clock seen{};
  std::array<const void*, 32> seen_at{};
  std::array<unsigned, 32> seen_by{};
};

// Memory of the host that a kernel was handed.
struct HostRange {
  Address begin, end;
};

struct Self;

struct BlockState {
  // What every access looks at, together.
  Area shared;
  std::uint64_t moment = 0;      // the time, and the block's bits of a note's stamp
  std::uint64_t whose = 0;       // and of its place
  std::uint64_t floor = 0;       // stamp of its last barrier
  std::uint64_t grid_floor = 0;  // of the grid's start, or the last meeting of its blocks
  Self* self = nullptr;          // of its OS thread
  int farthest = 3;              // that two threads of the grid can be apart: see shadow_cells.cpp
  bool seen = false;

  bool ended = false;
  GridState* grid = nullptr;
  std::uint64_t who = 0;  // the block's bits of a stamp
  Time now = 0;
  Address arguments = 0;  // of the kernel, where the launch has put them
  std::size_t arguments_size = 0;
  std::uint32_t index = 0;  // of the block in its grid, as notes have it
  Time acquire = 0;         // of its last atomic
  Time cluster_met = 0;
  Clock warp_met{}, warp_fence{}, warp_acquire{};
  Clock proxy_fence{}, init_fence{};  // see async.cpp
  std::unordered_map<Address, MadeBarrier> barriers;
  // Asynchronous copies by destination, source and size: how many threads have begun each.
  std::map<std::tuple<const void*, const void*, std::size_t>, unsigned> copies_under_way;
  std::array<Clock, 32> warps{};  // what each warp knows of the others
  std::array<std::unique_ptr<std::array<Clock, 32>>, 32> lanes;  // of its lanes; made when needed
  std::array<Meeting, all_barriers> named;
  std::unordered_map<Address, Meeting> objects;
  std::vector<SharedPlace> places;  // a copy: the grid's grows under a lock
  std::size_t places_end = 0;
  std::vector<SharedPlace> file_places;  // likewise, of file-scope variables
  std::size_t file_places_end = 0;
  std::vector<HostRange> host_ranges;
  unsigned host_ranges_of = 0;  // the grid for which they were found
  std::atomic<std::uint64_t> remote_stamp{0}, remote_place{0};  // last access from another block
};

inline BlockState& state_of(const Block& block) {
  return *static_cast<BlockState*>(block.check);
}

Time tick();  // the next time
Time time_now();
void tick(BlockState& state);

inline std::uint64_t block_index() {
  return blockIdx.x +
         std::uint64_t{gridDim.x} * (blockIdx.y + std::uint64_t{gridDim.y} * blockIdx.z);
}

// Whether an event between them orders an earlier access with the running thread `thread`.
bool ordered(const Note& before, const BlockState& state, unsigned thread);
void note_fence();
void note_acquire();
void release_object(const void* object);
void acquire_object(const void* object);

void install();

}  // namespace simt::check
