// Four blocks take items from a counter until none is left: one launch for all of them.
#include <cuda_runtime.h>

#include <cstdio>

constexpr int items = 100;

struct Work {
  int next, total, done[items];
};

__global__ void persistent(Work* work) {
  __shared__ int item;
  while (true) {
    if (threadIdx.x == 0) item = atomicAdd(&work->next, 1);
    __syncthreads();
    const int mine = item;
    __syncthreads();  // all have read it before the next one is taken
    if (mine >= items) return;
    if (threadIdx.x != 0) continue;
    atomicAdd(&work->total, mine);
    atomicAdd(&work->done[mine], 1);
  }
}

int main() {
  Work work{}, *device = nullptr;
  cudaMalloc(&device, sizeof work);
  cudaMemcpy(device, &work, sizeof work, cudaMemcpyHostToDevice);
  persistent<<<4, 64>>>(device);
  cudaMemcpy(&work, device, sizeof work, cudaMemcpyDeviceToHost);
  cudaFree(device);
  bool once = true;
  for (const int times : work.done) once = once && times == 1;
  std::printf("total %d\neach item done once: %s\n", work.total, once ? "yes" : "no");
}
