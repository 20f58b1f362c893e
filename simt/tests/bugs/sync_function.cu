// A function with a barrier inside is called by the threads that need its result.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

template <class Group>
__device__ int sum_of_all(Group group, int* box, int value) {
  if (group.thread_rank() == 0) *box = 0;
  group.sync();
  atomicAdd(box, value);
  group.sync();
  return *box;
}

__global__ void sums(const int* in, int* out) {
  __shared__ int box;
  int value = in[threadIdx.x];
  if (value % 2 == 0) out[threadIdx.x] = sum_of_all(cg::this_thread_block(), &box, value);
}

int main() {
  int host[64], *in, *out;
  for (int i = 0; i < 64; ++i) host[i] = i;
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, sizeof host);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  sums<<<1, 64>>>(in, out);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
