#pragma once

// What one instruction of a warp costs in memory: pure functions of the lanes' addresses.
//
// Global memory moves in sectors of 32 bytes. Shared memory has 32 banks of 4-byte words; in one
// wavefront each bank serves one word, to all lanes that want it.

#include <array>
#include <cstdint>

namespace simt::xray {

inline constexpr unsigned lanes_of_warp = 32, sector_bytes = 32, banks = 32;

// The lanes of a warp that execute one access together.
struct WarpAccess {
  std::array<std::uint64_t, lanes_of_warp> address;  // of the lanes in the mask
  std::uint32_t mask = 0;
  unsigned size = 0;  // bytes per lane
};

struct Sectors {
  unsigned count = 0;  // different ones that are touched
  unsigned least = 0;  // that the different bytes asked for would fill
  std::array<std::uint64_t, 5 * lanes_of_warp> number;  // address / 32, in rising order
};
void count_sectors(const WarpAccess& access, Sectors& into);

struct Wavefronts {
  unsigned count = 0;
  unsigned least = 0;  // without bank conflicts
};
Wavefronts count_wavefronts(const WarpAccess& access);

// Lanes that meet on one address are served one after the other, and each time the sector counts again.
unsigned count_atomic_sectors(const WarpAccess& access);

// Lanes on the address that most of them have in common.
unsigned most_on_one_address(const WarpAccess& access);

// Different addresses that the lanes ask for.
unsigned count_addresses(const WarpAccess& access);

// Local memory lies so that the same word of all lanes fills one line: words of 4 bytes, lane beside lane. `access` has
// offsets in the thread's own array.
void count_local_sectors(const WarpAccess& access, unsigned& count, unsigned& least);

// How far each lane's address is from the one before it, where that is the same for all; else
// no_stride.
inline constexpr std::int64_t no_stride = INT64_MIN;
std::int64_t stride_of(const WarpAccess& access);

}  // namespace simt::xray
