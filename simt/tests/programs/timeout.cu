// Kernels that never end, each in another way, under --timeout.
#include <cstdio>

__device__ int flag;

__global__ void counts(int* p) {
  if (blockIdx.x == 1 && threadIdx.x == 2) {
    for (volatile int i = 0;; i = i + 1) *p = i;
  }
}

__global__ void spins() {
  while (atomicAdd(&flag, 0) == 0) {
  }
}

__global__ void meets() {
  for (;;) {
    __syncthreads();
  }
}

__global__ void nothing() {}

__global__ void ends(int* p) {
  *p = 7;
}

__global__ void again(cudaGraphConditionalHandle handle) {
  cudaGraphSetConditional(handle, 1);
}

// A loop of a graph whose kernels end, but not the loop.
void loops() {
  cudaGraph_t graph;
  cudaGraphNode_t node;
  cudaGraphExec_t exec;
  cudaGraphCreate(&graph, 0);
  cudaGraphNodeParams params = {};
  params.type = cudaGraphNodeTypeConditional;
  cudaGraphConditionalHandleCreate(&params.conditional.handle, graph, 1,
                                   cudaGraphCondAssignDefault);
  params.conditional.type = cudaGraphCondTypeWhile;
  params.conditional.size = 1;
  cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params);
  void* arguments[] = {&params.conditional.handle};
  cudaKernelNodeParams kernel = {};
  kernel.func = reinterpret_cast<void*>(again);
  kernel.gridDim = kernel.blockDim = dim3(1);
  kernel.kernelParams = arguments;
  cudaGraphAddKernelNode(&node, params.conditional.phGraph_out[0], nullptr, 0, &kernel);
  cudaGraphInstantiate(&exec, graph, 0);
  cudaGraphLaunch(exec, nullptr);
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
}

template <class Launch>
void run(const char* name, Launch launch) {
  launch();
  const cudaError_t error = cudaDeviceSynchronize();
  printf("%s: %s\n", name, cudaGetErrorName(error));
  cudaDeviceReset();
}

int main() {
  int* p;
  cudaMalloc(&p, sizeof(int));
  run("counts", [&] { counts<<<4, 32>>>(p); });
  run("spins", [] { spins<<<8, 32>>>(); });
  run("meets", [] { meets<<<2, 64>>>(); });
  run("nothing, often", [] { nothing<<<2147483647, 1>>>(); });
  run("loops", loops);
  cudaMalloc(&p, sizeof(int));
  run("ends", [&] { ends<<<1, 1>>>(p); });
}
