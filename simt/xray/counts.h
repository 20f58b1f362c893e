#pragma once

// What is counted: for each access in the code, over all warps that executed it.

#include <driver_types.h>
#include <vector_types.h>

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "model.h"

namespace simt::xray {

// Local: arrays of a thread that are indexed by what only a run knows. Constant: __constant__ variables, and parameters
// with __grid_constant__ that are indexed so.
enum class Space : unsigned char { global, shared, local, constant, cluster };
// Async: a copy that goes past the registers (cp.async). Bulk: by TMA, not by lanes.
// Code: no access; a basic block begins.
enum class Kind : unsigned char { load, store, atomic, async_load, bulk_load, bulk_store, code };

// One warp at one access, kept to be drawn.
struct Sample {
  std::uint64_t block = 0;
  unsigned warp = 0;
  std::uint64_t iteration = 0;  // of this access, over all warps
  WarpAccess access;
};
inline constexpr std::size_t samples_of_access = 12;

struct AccessCounts {
  Space space = Space::global;
  Kind kind = Kind::load;
  unsigned size = 0;                        // bytes per lane
  std::uint64_t requests = 0;               // instructions of warps
  std::uint64_t lanes = 0;                  // that took part, summed
  std::uint64_t bytes_asked = 0;            // lanes times size
  std::uint64_t sectors = 0, least = 0;     // global memory
  std::uint64_t fresh = 0;                  // sectors that the launch had not touched before
  std::uint64_t wavefronts = 0, ideal = 0;  // shared memory
  std::uint64_t meetings = 0;               // atomics: lanes on the most crowded address, summed
  std::uint64_t misaligned = 0;             // requests that begin inside a sector
  std::uint64_t addresses = 0;              // constant and local memory: different ones, summed
  std::uint64_t unlike = 0;                 // requests whose lanes have different ones
  const char* array = nullptr;              // and the name of what is read or written
  std::int64_t stride = no_stride;
  bool strides_differ = false;
  unsigned worst = 0;  // sectors or wavefronts of one request
  std::vector<Sample> samples;

  void add(const AccessCounts& other);
};

// A basic block: how often a warp executed it, and with how many lanes.
struct CodeCounts {
  std::uint64_t times = 0, lanes = 0;
  std::uint64_t splits = 0;  // lanes that were together here go on apart
};

struct Place {  // of a barrier
  const char* file;
  unsigned line;
  bool operator<(const Place& other) const {
    return file != other.file ? file < other.file : line < other.line;
  }
};

// Instructions of each warp between two barriers of one block.
using Phase = std::array<std::uint32_t, 32>;
inline constexpr std::size_t most_phases = 96;

struct LaunchCounts {
  std::string kernel;
  const void* identity = nullptr;
  uint3 grid{}, block{};
  std::size_t dynamic_shared = 0, static_shared = 0;
  std::uint64_t launches = 0, blocks = 0, blocks_counted = 0;
  std::uint64_t barriers = 0;    // passed by whole blocks
  std::uint64_t waits = 0;       // reads by a lane that polls a word for another block
  std::uint64_t warp_meets = 0;  // shuffles, votes, __syncwarp
  std::unordered_map<const void*, AccessCounts> accesses;  // by the code's address
  std::unordered_map<const void*, CodeCounts> code;
  std::map<Place, std::uint64_t> barrier_places;
  std::uint64_t busiest_warp = 0, all_warps = 0, warps = 0;  // instructions, over counted blocks
  std::vector<Phase> timeline;
  std::vector<Place> timeline_ends;

  void add(const LaunchCounts& other);
};

// JSON of what was counted since the last call.
std::string take_json();

}  // namespace simt::xray
