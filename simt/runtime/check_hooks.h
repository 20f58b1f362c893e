#pragma once

// What the runtime tells the checks of `warpath cc --check` (simt/check). Plain programs do not
// load them: then the pointer is null, and each of these places costs a load and a branch.

#include <driver_types.h>
#include <simt/allocation.h>

#include <cstddef>

namespace simt {

struct Block;
struct Grid;

struct CheckHooks {
  void (*allocated)(const void* base, std::size_t size, MemoryKind kind, const void* caller);
  // True: the check keeps the memory for a while, and gives it back with heap_free.
  bool (*freed)(void* base, std::size_t size, const void* caller);
  void (*bad_free)(const void* pointer, const void* caller);
  void (*forgot_all)();
  void (*written)(const void* to, std::size_t size);  // by the API or an asynchronous copy
  void (*block_began)(Block& block);
  void (*block_ended)(Block& block);
  void (*barrier_passed)(Block& block);
  void (*warp_met)(Block& block, unsigned warp);
  void (*blocks_met)(Grid& grid);  // of a cooperative grid or of a cluster
  void (*grid_ended)(Grid& grid, bool faulted);
};

extern const CheckHooks* check_hooks;

// Bytes kept free behind each block of device memory and each shared variable, so that running
// past the end meets nothing else. None in plain programs.
extern bool red_zones;
inline std::size_t red_zone(std::size_t wanted) {
  return red_zones ? wanted : 0;
}

}  // namespace simt
