#pragma once

// The memory behind a block's shared variables.

#include <vector>

#include "scheduler/block.h"
#include "scheduler/grid.h"

namespace simt {

inline constexpr std::size_t arena_static_room = 64 * 1024;  // 48 KiB and red zones
inline constexpr std::size_t arena_file_begin = arena_static_room + 228 * 1024;
// For file-scope variables of checked programs: they have one place in all grids.
inline constexpr std::size_t arena_file_room = 128 * 1024;
inline constexpr std::size_t arena_room = arena_file_begin + arena_file_room;

void make_arena(Block& block);
void free_arena(Block& block);
bool arena_holds(const Block& block, const void* address);
// Overwrites what a block of this grid may have used with 0xFF bytes.
void wipe_arena(Block& block, const Grid& grid);

// The file-scope variables that were reached so far, by offset in the arena, and where they end.
std::vector<SharedPlace> file_places();
std::size_t file_shared_used();

}  // namespace simt
