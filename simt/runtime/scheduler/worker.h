#pragma once

// What one OS thread needs to run blocks, and the pool of such threads.

#include <memory>
#include <vector>

#include "scheduler/block.h"
#include "scheduler/fiber.h"

namespace simt {

struct Worker {
  Worker();
  ~Worker();

  // Works on the grid until it has no more blocks. A kernel that launches a kernel comes here
  // again: each level has its own block.
  void work(Grid& grid, Cluster* team = nullptr, unsigned rank = 0);

  FiberPool fibers;
  std::vector<std::unique_ptr<Block>> blocks;
  unsigned depth = 0;
  void* signal_stack = nullptr;
};

Worker& this_worker();

// Runs every block of the grid; the calling thread takes part.
void run_on_pool(Grid& grid);
// How many OS threads a launch keeps busy.
unsigned pool_size();
// Gives every block of a cluster its own OS thread.
void run_clusters(Grid& grid);
// Gives every block its own OS thread, so that blocks can wait for each other.
void run_resident(Grid& grid);

// Faults of the processor (bad addresses and the like) inside kernels become faults of the grid.
void catch_signals();
void* give_signal_stack();
void free_signal_stack(void* stack);

}  // namespace simt
