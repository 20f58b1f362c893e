// Thread block clusters (Hopper): blocks that run at the same time and access each other's shared
// memory.
#pragma once
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <utility>

#include "core/host/device.cuh"

namespace warpath {

// A launch in clusters of `cluster` blocks along x; clusters of more than 8 blocks and more than 48
// KiB of shared memory are enabled where needed.
struct ClusterLaunch {
  unsigned cluster, threads;
  std::size_t shared_bytes;
  cudaStream_t stream;
  // A cooperative launch: all blocks are resident, so they may wait for each other.
  bool all_at_once = false;

  // How many clusters the GPU holds at once: the grid of a kernel that walks over its rows.
  template <class... Params>
  unsigned resident_clusters(void (*kernel)(Params...)) const {
    Setup setup(*this, kernel, cluster);
    int clusters = 0;
    CUDA_CHECK(cudaOccupancyMaxActiveClusters(&clusters, kernel, &setup.config));
    return static_cast<unsigned>(std::max(clusters, 1));
  }

  template <class... Params, class... Args>
  void operator()(void (*kernel)(Params...), unsigned clusters, Args&&... args) const {
    Setup setup(*this, kernel, clusters * cluster);
    CUDA_CHECK(cudaLaunchKernelEx(&setup.config, kernel, std::forward<Args>(args)...));
  }

 private:
  struct Setup {
    cudaLaunchAttribute attributes[2] = {};
    cudaLaunchConfig_t config{};

    template <class Kernel>
    Setup(const ClusterLaunch& l, Kernel kernel, unsigned blocks) {
      if (l.cluster > 8) allow_large_clusters(kernel);
      if (l.shared_bytes > 48 * 1024) allow_shared(kernel, l.shared_bytes);
      attributes[0].id = cudaLaunchAttributeClusterDimension;
      attributes[0].val.clusterDim.x = l.cluster;
      attributes[0].val.clusterDim.y = 1;
      attributes[0].val.clusterDim.z = 1;
      attributes[1].id = cudaLaunchAttributeCooperative;
      attributes[1].val.cooperative = 1;
      config.gridDim = dim3(blocks);
      config.blockDim = dim3(l.threads);
      config.dynamicSmemBytes = l.shared_bytes;
      config.stream = l.stream;
      config.attrs = attributes;
      config.numAttrs = l.all_at_once ? 2 : 1;
    }
    Setup(const Setup&) = delete;
    Setup& operator=(const Setup&) = delete;
  };
};

// One value per block, made known to all blocks of the cluster: each block writes its own into the
// mailbox of every block. After a cluster barrier, every block can read all of them. A block must
// have started before others may write to its shared memory: put a cluster barrier before the first
// post too.
template <class T, int Largest>
struct ClusterMailbox {
  T from[Largest];

  // Called by the whole block, with the same value in every thread.
  __device__ __forceinline__ void post(const T& value) {
    const auto cluster = cooperative_groups::this_cluster();
    if (threadIdx.x < cluster.num_blocks())
      *cluster.map_shared_rank(&from[cluster.block_rank()], threadIdx.x) = value;
  }
};

}  // namespace warpath
