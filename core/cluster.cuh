// Thread block clusters (Hopper): blocks that run side by side and reach into each other's shared
// memory.
#pragma once
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <utility>

#include "core/error.h"

namespace warpath {

// Launches `kernel` with clusters of `cluster` blocks along x; sizes over 8 are allowed where the
// GPU takes them.
template <class... Params, class... Args>
void launch_cluster(void (*kernel)(Params...), unsigned blocks, unsigned threads, unsigned cluster,
                    cudaStream_t stream, Args&&... args) {
  if (cluster > 8)
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = cluster;
  attribute.val.clusterDim.y = 1;
  attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(threads);
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  CUDA_CHECK(cudaLaunchKernelEx(&config, kernel, std::forward<Args>(args)...));
}

// One value a block, known to all blocks of the cluster afterwards: each block writes its own into
// everyone's mailbox. Call announce() early: a block must have started before its shared memory is
// written to by others, and the wait for that then overlaps with other work.
template <class T, int Largest>
struct ClusterMailbox {
  T from[Largest];

  static __device__ __forceinline__ void announce() {
    cooperative_groups::this_cluster().barrier_arrive();
  }

  // Called by the whole block, with the same value in every thread.
  __device__ __forceinline__ void exchange(const T& value) {
    auto cluster = cooperative_groups::this_cluster();
    cluster.barrier_wait();
    if (threadIdx.x < cluster.num_blocks())
      *cluster.map_shared_rank(&from[cluster.block_rank()], threadIdx.x) = value;
    cluster.sync();
  }
};

}  // namespace warpath
