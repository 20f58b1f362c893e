#pragma once

// One access of the running CUDA thread, before it happens.

#include "block.h"

namespace simt::xray {

// Of any size: as the GPU would split it.
void watch(const volatile void* at, std::size_t size, Kind kind, const void* pc);
// In pieces of at most so many bytes.
void watch(const volatile void* at, std::size_t size, Kind kind, const void* pc, unsigned piece);

// Where device memory lies; empty before the first block.
std::pair<std::uint64_t, std::uint64_t> heap_bounds();

}  // namespace simt::xray
