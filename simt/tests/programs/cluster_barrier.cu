// The two halves of a cluster's barrier, with threads and blocks that leave early; and a block's.
#include <cooperative_groups.h>

#include <cstdio>

namespace cg = cooperative_groups;

// In each of many phases every block must see what every other wrote before it arrived. Half of
// each block leaves on the way, some of them between arriving and waiting.
__global__ void __cluster_dims__(4) phases(int* data, int* bad, int n) {
  const cg::cluster_group cluster = cg::this_cluster();
  int* mine = data + blockIdx.x / 4 * 4;
  const unsigned rank = cluster.block_rank();
  for (int k = 0; k < n; ++k) {
    if (threadIdx.x == 0) atomicExch(&mine[rank], k);
    cluster.barrier_arrive();
    if (k == 5 && threadIdx.x >= 48) return;
    cluster.barrier_wait();
    if (atomicAdd(&mine[(rank + threadIdx.x) % 4], 0) != k) atomicAdd(bad, 1);
    if (k == 7 && threadIdx.x >= 32) return;
    auto token = cluster.barrier_arrive();
    cluster.barrier_wait(static_cast<cg::cluster_group::arrival_token&&>(token));
  }
}

// Blocks end one after the other; those that remain go on meeting.
__global__ void __cluster_dims__(8) fewer(int* count) {
  const cg::cluster_group cluster = cg::this_cluster();
  for (unsigned k = 0; k <= cluster.block_rank(); ++k) cluster.sync();
  atomicAdd(count, 1);
}

// Nothing is to be waited for: the last arrival lets those pass that arrived long before.
__global__ void block_halves(int* out) {
  __shared__ int s[96];
  const cg::thread_block block = cg::this_thread_block();
  int sum = 0;
  for (int k = 0; k < 10; ++k) {
    s[threadIdx.x] = k + threadIdx.x;
    auto token = block.barrier_arrive();
    if (k == 9 && threadIdx.x == 95) return;
    block.barrier_wait(static_cast<cg::thread_block::arrival_token&&>(token));
    sum += s[(threadIdx.x + 33) % 96];
    block.sync();
  }
  if (threadIdx.x == 0) *out = sum;
}

__global__ void arrives_twice() {
  cg::this_cluster().barrier_arrive();
  cg::this_cluster().barrier_arrive();
}

__global__ void only_waits() {
  cg::this_cluster().barrier_wait();
}

__global__ void not_shared(int* out) {
  *cg::this_cluster().map_shared_rank(out, 0) = 1;
}

int main() {
  int* p;
  cudaMallocManaged(&p, 4096);
  cudaMemset(p, 0, 4096);
  int *bad = p + 512, *count = p + 513, *out = p + 514;
  phases<<<24, 64>>>(p, bad, 20);
  printf("phases: %s, %d bad\n", cudaGetErrorName(cudaDeviceSynchronize()), *bad);
  fewer<<<32, 40>>>(count);
  printf("fewer: %s, %d\n", cudaGetErrorName(cudaDeviceSynchronize()), *count);
  block_halves<<<1, 96>>>(out);
  printf("block: %s, %d\n", cudaGetErrorName(cudaDeviceSynchronize()), *out);
  arrives_twice<<<1, 32>>>();
  printf("twice: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaDeviceReset();
  only_waits<<<1, 32>>>();
  printf("only waits: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaDeviceReset();
  not_shared<<<1, 1>>>(nullptr);
  printf("not shared: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
