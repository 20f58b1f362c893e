#pragma once

// Memory that belongs to graphs: an allocation node has its address from the start and keeps it, while the
// memory is the program's only between that node and a node (or a call) that frees it.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>

namespace simt::graph {

struct Block {
  void* base = nullptr;
  std::size_t bytes = 0;
  bool live = false;              // allocated by a launch and not freed
  cudaStream_t stream = nullptr;  // of that launch
  cudaGraphNode_t freed_by =
      nullptr;  // while a graph is made: the node after which it may serve again
  ~Block();
};

// New memory of a graph; null if there is none left.
std::shared_ptr<Block> make_block(std::size_t bytes);
std::shared_ptr<Block> block_at(const void* base);

// What the nodes do. A block that still lives cannot be allocated again.
cudaError_t allocate(const std::shared_ptr<Block>& block);
cudaError_t free(const std::shared_ptr<Block>& block);

// The stream of the launch that runs on this OS thread.
class LaunchStream {
 public:
  explicit LaunchStream(cudaStream_t stream);
  ~LaunchStream();
  LaunchStream(const LaunchStream&) = delete;

 private:
  cudaStream_t before_;
};

}  // namespace simt::graph
