// Clusters of 2, 8 and 16 blocks add up through each other's shared memory, static and dynamic.
#include <cooperative_groups.h>

#include <cstdio>

namespace cg = cooperative_groups;

// Every block writes its number into everyone's box; every block must find all of them, and what
// the last cluster left there must be gone.
__global__ void all_to_all(const int* in, int* out, int* dirty) {
  __shared__ int box[16];
  extern __shared__ int pushed[];
  const cg::cluster_group cluster = cg::this_cluster();
  const int rank = cluster.block_rank(), blocks = cluster.num_blocks(), t = threadIdx.x;
  if (t < 16 && (box[t] != -1 || pushed[t] != -1)) atomicAdd(dirty, 1);
  cluster.sync();
  if (t < blocks) *cluster.map_shared_rank(&box[rank], t) = in[blockIdx.x];
  if (t == 0) pushed[0] = 100 * in[blockIdx.x];
  cluster.sync();
  int sum = 0;
  for (int b = 0; b < blocks; ++b) sum += box[b];
  if (t < blocks) sum += *cluster.map_shared_rank(pushed, t);
  if (t == 0) out[blockIdx.x] = sum;
  const int* last = cluster.map_shared_rank(box, blocks - 1);
  if (int(cluster.query_shared_rank(last)) != blocks - 1) atomicAdd(dirty, 1000);
  cluster.sync();  // nobody leaves while others read its shared memory
}

// Indices in a cluster of two dimensions.
__global__ void __cluster_dims__(2, 2, 1) indices(int* bad) {
  const cg::cluster_group cluster = cg::this_cluster();
  const cg::grid_group grid = cg::this_grid();
  const dim3 at = cluster.block_index(), of = grid.cluster_index();
  if (at.x != blockIdx.x % 2 || at.y != blockIdx.y % 2 || at.z != 0) atomicAdd(bad, 1);
  if (cluster.block_rank() != at.x + 2 * at.y || cluster.num_blocks() != 4) atomicAdd(bad, 1);
  if (cluster.thread_rank() != cluster.block_rank() * 32 + threadIdx.x) atomicAdd(bad, 1);
  if (of.x != blockIdx.x / 2 || of.y != blockIdx.y / 2) atomicAdd(bad, 1);
  if (grid.num_clusters() != 6 || grid.cluster_rank() != of.x + 3 * of.y) atomicAdd(bad, 1);
  unsigned rank, x;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm("mov.u32 %0, %%clusterid.x;" : "=r"(x));
  if (rank != cluster.block_rank() || x != of.x) atomicAdd(bad, 1);
  __shared__ int mine;
  mine = blockIdx.x + 100 * blockIdx.y;
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
  const int other = *cluster.map_shared_rank(&mine, (cluster.block_rank() + 1) % 4);
  const unsigned next = (cluster.block_rank() + 1) % 4;
  if (other != int(of.x * 2 + next % 2 + 100 * (of.y * 2 + next / 2))) atomicAdd(bad, 1);
  cluster.sync();
}

template <int N>
__global__ void __cluster_dims__(N) templated(int* out) {
  if (threadIdx.x == 0) atomicAdd(out, cg::this_cluster().num_blocks());
}

static cudaLaunchConfig_t config_for(cudaLaunchAttribute& attribute, unsigned cluster,
                                     unsigned blocks) {
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = cluster;
  attribute.val.clusterDim.y = 1;
  attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(48);
  config.dynamicSmemBytes = 64;
  config.attrs = &attribute;
  config.numAttrs = 1;
  return config;
}

static cudaError_t launch(unsigned cluster, unsigned blocks, const int* in, int* out, int* dirty) {
  cudaLaunchAttribute attribute{};
  const cudaLaunchConfig_t config = config_for(attribute, cluster, blocks);
  return cudaLaunchKernelEx(&config, all_to_all, in, out, dirty);
}

int main() {
  setenv("SIMT_SHARED_FILL", "255", 1);  // what nobody wrote is to show
  int *in, *out, *dirty;
  cudaMallocManaged(&in, 4096);
  cudaMallocManaged(&out, 4096);
  cudaMallocManaged(&dirty, 64);
  *dirty = 0;
  for (int i = 0; i < 1024; ++i) in[i] = i * i % 97;
  for (unsigned cluster : {1, 2, 3, 8, 16}) {
    if (cluster == 16) {
      printf("16 at first: %s\n", cudaGetErrorName(launch(16, 32, in, out, dirty)));
      cudaGetLastError();
      cudaFuncSetAttribute(all_to_all, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    }
    const unsigned blocks = cluster * 5;
    const cudaError_t error = launch(cluster, blocks, in, out, dirty);
    const cudaError_t after = cudaDeviceSynchronize();
    int bad = 0;
    for (unsigned b = 0; b < blocks; ++b) {
      int sum = 100 * in[b / cluster * cluster];  // thread 0 reads block 0's
      for (unsigned i = 0; i < cluster; ++i) sum += in[b / cluster * cluster + i];
      bad += out[b] != sum;
    }
    printf("%u: %s %s, %d bad, %d dirty\n", cluster, cudaGetErrorName(error),
           cudaGetErrorName(after), bad, *dirty);
  }
  printf("17: %s\n", cudaGetErrorName(launch(17, 34, in, out, dirty)));
  printf("8 of 12: %s\n", cudaGetErrorName(launch(8, 12, in, out, dirty)));
  printf("0: %s\n", cudaGetErrorName(launch(0, 12, in, out, dirty)));
  cudaGetLastError();

  // 132 multiprocessors with 32 blocks of 48 threads each.
  cudaLaunchAttribute attribute{};
  const cudaLaunchConfig_t config = config_for(attribute, 16, 32);
  int resident = 0, largest = 0;
  cudaOccupancyMaxActiveClusters(&resident, all_to_all, &config);
  cudaOccupancyMaxPotentialClusterSize(&largest, all_to_all, &config);
  printf("resident: %d, largest: %d\n", resident, largest);
  printf("occupancy of 16: %s\n",
         cudaGetErrorName(cudaOccupancyMaxActiveClusters(&resident, indices, &config)));
  cudaGetLastError();

  *out = 0;
  indices<<<dim3(6, 4), 32>>>(out);
  printf("indices: %s, %d bad\n", cudaGetErrorName(cudaDeviceSynchronize()), *out);
  indices<<<dim3(6, 3), 32>>>(out);
  printf("6 x 3: %s\n", cudaGetErrorName(cudaGetLastError()));
  templated<4><<<8, 32>>>(out);
  printf("templated: %s, %d\n", cudaGetErrorName(cudaDeviceSynchronize()), *out);
}
