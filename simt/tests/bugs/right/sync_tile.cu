// A tile's lanes meet outside of the branch.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void meet(int* out) {
  __shared__ int s[32];
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  int lane = tile.thread_rank();
  s[lane] = 0;
  tile.sync();
  if (lane < 16) s[lane] = lane;
  tile.sync();
  if (lane < 16) out[lane] = s[lane ^ 1];
}

int main() {
  int* out;
  cudaMalloc(&out, 32 * sizeof(int));
  meet<<<1, 32>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
