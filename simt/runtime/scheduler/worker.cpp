#include "scheduler/worker.h"

#include "faults/timeout.h"
#include "scheduler/grid.h"

namespace simt {

Worker::Worker() : fibers(&runner_main), signal_stack(give_signal_stack()) {}

Worker::~Worker() {
  free_signal_stack(signal_stack);
}

void Worker::work(Grid& grid, Cluster* team, unsigned rank) {
  if (depth == blocks.size()) blocks.push_back(std::make_unique<Block>(fibers));
  Block& block = *blocks[depth];
  // A kernel that launched this one goes on with its own indices afterwards.
  BlockFront* const outer = front;
  const uint3 outer_thread = threadIdx, outer_block = blockIdx;
  const dim3 outer_block_size = blockDim, outer_grid_size = gridDim;
  ++depth;
  {
    const Working working(grid);
    block.run_blocks(grid, team, rank);
  }
  --depth;
  front = outer;
  threadIdx = outer_thread;
  blockIdx = outer_block;
  blockDim = outer_block_size;
  gridDim = outer_grid_size;
}

Worker& this_worker() {
  thread_local Worker worker;
  return worker;
}

}  // namespace simt
