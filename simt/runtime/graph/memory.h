#pragma once

// Memory that belongs to graphs: an allocation node has its address from the start and keeps it,
// while the memory is the program's only between that node and a node (or a call) that frees it.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>

namespace simt::graph {

struct GraphAllocation {
  void* base = nullptr;
  std::size_t bytes = 0;
  bool live = false;              // allocated by a launch and not freed
  cudaStream_t stream = nullptr;  // of that launch
  cudaGraphNode_t freed_by =
      nullptr;  // while a graph is made: the node after which it may serve again
  ~GraphAllocation();
};

// New memory of a graph; null if there is none left.
std::shared_ptr<GraphAllocation> make_allocation(std::size_t bytes);
std::shared_ptr<GraphAllocation> allocation_at(const void* base);

// What the nodes do. An allocation that still lives cannot be allocated again.
cudaError_t allocate(const std::shared_ptr<GraphAllocation>& allocation);
cudaError_t free(const std::shared_ptr<GraphAllocation>& allocation);

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
