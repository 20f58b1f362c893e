#pragma once

// The memory behind a block's shared variables.

#include "block.h"

namespace simt {

inline constexpr std::size_t arena_static_room = 64 * 1024;  // 48 KiB and red zones
inline constexpr std::size_t arena_room = arena_static_room + 228 * 1024;

void make_arena(Block& block);
void free_arena(Block& block);
bool arena_holds(const Block& block, const void* address);
// Overwrites what a block of this grid may have used with 0xFF bytes.
void wipe_arena(Block& block, const Grid& grid);

}  // namespace simt
