// Ranks and sizes of cooperative groups.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "facts.h"

namespace cg = cooperative_groups;

// What the thread of rank `who` answers.
#define AT(who, expression)                                                                   \
  if (block.thread_rank() == who) {                                                           \
    printf("%d: " #expression ": %d\n", static_cast<int>(who), static_cast<int>(expression)); \
  }                                                                                           \
  block.sync();

__global__ void ranks() {
  auto block = cg::this_thread_block();
  auto grid = cg::this_grid();
  if (blockIdx.x != 1 || blockIdx.y != 1) return;
  AT(77, block.thread_rank())
  AT(77, block.size())
  AT(77, block.num_threads())
  AT(77, block.thread_index().x)
  AT(77, block.thread_index().y)
  AT(77, block.thread_index().z)
  AT(77, block.group_index().y)
  AT(77, block.group_dim().z)
  AT(77, block.dim_threads().x)
  AT(77, grid.thread_rank())
  AT(77, grid.size())
  AT(77, grid.block_rank())
  AT(77, grid.num_blocks())
  AT(77, grid.dim_blocks().y)
  AT(77, grid.block_index().x)
}

template <int size>
__global__ void tiles() {
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<size>(block);
  if (block.thread_rank() == 0) printf("size: %d\n", size);
  block.sync();
  const int rank = block.thread_rank();
  AT(45, tile.thread_rank())
  AT(45, tile.num_threads())
  AT(45, tile.meta_group_rank())
  AT(45, tile.meta_group_size())
  const int first = tile.shfl(rank, 0), down = tile.shfl_down(rank, 1), up = tile.shfl_up(rank, 1);
  const int other = tile.shfl_xor(rank, size / 2);
  AT(45, first)
  AT(45, down)
  AT(45, up)
  AT(45, other)
  const int any = tile.any(rank == 44), all = tile.all(rank >= 32);
  AT(45, any != 0)
  AT(45, all != 0)
  const unsigned ballot = tile.ballot(rank % 3 == 0), match = tile.match_any(rank / 3);
  AT(45, ballot)
  AT(45, match)
  const int sum = cg::reduce(tile, rank, cg::plus<int>()),
            most = cg::reduce(tile, rank % 7, cg::greater<int>());
  const int least = cg::reduce(tile, rank % 7, cg::less<int>()),
            bits = cg::reduce(tile, rank, cg::bit_xor<int>());
  AT(45, sum)
  AT(45, most)
  AT(45, least)
  AT(45, bits)
  const int before = cg::exclusive_scan(tile, rank), upto = cg::inclusive_scan(tile, rank);
  AT(45, before)
  AT(45, upto)
}

__global__ void coalesced() {
  auto block = cg::this_thread_block();
  const int rank = block.thread_rank();
  int size = -1, place = -1, first = -1, sum = -1, groups = -1, group = -1;
  if (rank % 5 == 2) {
    auto active = cg::coalesced_threads();
    size = active.size();
    place = active.thread_rank();
    first = active.shfl(rank, 0);
    sum = cg::reduce(active, rank, cg::plus<int>());
    groups = active.meta_group_size();
    group = active.meta_group_rank();
  }
  block.sync();
  AT(22, size)
  AT(22, place)
  AT(22, first)
  AT(22, sum)
  AT(22, groups)
  AT(22, group)
  AT(52, size)
  AT(52, place)
  AT(52, first)
  AT(52, sum)
}

__global__ void partitions() {
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<32>(block);
  const int rank = block.thread_rank();
  auto labelled = cg::labeled_partition(tile, rank % 3);
  const int labelled_size = labelled.size(), labelled_rank = labelled.thread_rank();
  const int labelled_groups = labelled.meta_group_size(),
            labelled_group = labelled.meta_group_rank();
  auto binary = cg::binary_partition(tile, rank < 10);
  const int binary_size = binary.size(), binary_rank = binary.thread_rank();
  auto runtime = cg::tiled_partition(block, 8);
  const int runtime_size = runtime.size(), runtime_rank = runtime.thread_rank();
  AT(20, labelled_size)
  AT(20, labelled_rank)
  AT(20, labelled_groups)
  AT(20, labelled_group)
  AT(20, binary_size)
  AT(20, binary_rank)
  AT(4, binary_size)
  AT(4, binary_rank)
  AT(20, runtime_size)
  AT(20, runtime_rank)
}

int main() {
  ranks<<<dim3(2, 3), dim3(5, 4, 6)>>>();
  cudaDeviceSynchronize();
  tiles<2><<<1, 64>>>();
  cudaDeviceSynchronize();
  tiles<4><<<1, 64>>>();
  cudaDeviceSynchronize();
  tiles<16><<<1, 64>>>();
  cudaDeviceSynchronize();
  tiles<32><<<1, 64>>>();
  cudaDeviceSynchronize();
  coalesced<<<1, 64>>>();
  cudaDeviceSynchronize();
  partitions<<<1, 32>>>();
  return finished();
}
