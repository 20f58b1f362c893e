// What programs of all ages call: the driver API's launches, CUDA 1's names, fields that CUDA 13
// dropped, kernels with references, kernels that launch kernels and wait, other processes' memory.
#include <cublas_v2.h>
#include <cuda.h>
#include <cufft.h>
#include <curand.h>
#include <nvToolsExtCuda.h>

#include <cstdint>
#include <cstdio>

int32_t min(int32_t a, int32_t b);  // CUDA's own, declared again

struct Pair {
  int a, b;
};

__global__ void by_reference(Pair& pair, const int& plus) {
  pair.a = min(pair.a, pair.b) + plus;
}

__global__ void write(int* out, int value, double half) {
  out[threadIdx.x] = value + static_cast<int>(2 * half) + threadIdx.x;
}

template <class T>
__global__ void twice(T* out) {
  out[threadIdx.x] *= 2;
}

__global__ void parent(int* out) {
  write<<<1, 4>>>(out, 10, 0.5);
  cudaDeviceSynchronize();
  twice<<<1, 4, 0, cudaStreamTailLaunch>>>(out);
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  twice<<<1, 2, 0, stream>>>(out);
  cudaStreamDestroy(stream);
}

int main() {
  int* out;
  cudaMallocManaged(&out, 64 * sizeof(int));
  Pair* pair;
  cudaMallocManaged(&pair, sizeof(Pair));
  *pair = {7, 4};
  out[9] = 100;
  by_reference<<<1, 1>>>(*pair, out[9]);
  cudaThreadSynchronize();
  printf("reference %d\n", pair->a);

  cuInit(0);
  CUfunction function;
  cudaGetFuncBySymbol(&function, (const void*)write);
  int value = 3;
  double half = 1.5;
  void* args[] = {&out, &value, &half};
  printf("launch %d\n", cuLaunchKernel(function, 1, 1, 1, 4, 1, 1, 0, nullptr, args, nullptr));
  cudaGetFuncBySymbol(&function, twice<int>);
  void* again[] = {&out};
  cuLaunchKernel(function, 1, 1, 1, 2, 1, 1, 0, nullptr, again, nullptr);
  cuCtxSynchronize();
  printf("driver %d %d %d\n", out[0], out[1], out[3]);
  CUmodule module;
  printf("module %d\n", cuModuleLoad(&module, "kernels.ptx"));
  CUdeviceptr address;
  int back = 0, major = 0, minor = 0;
  cuMemAlloc(&address, 16);
  cuMemsetD32Async(address, 42, 4, nullptr);
  cuMemcpyDtoH(&back, address + 8, sizeof back);
  cuDeviceComputeCapability(&major, &minor, 0);
  printf("memory %d, %d.%d\n", back, major, minor);

  parent<<<1, 1>>>(out);
  cudaDeviceSynchronize();
  printf("nested %d %d %d\n", out[0], out[1], out[3]);

  cudaDeviceProp prop;
  cudaGetDeviceProperties(&prop, 0);
  printf("fields %d %d %d\n", prop.clockRate > 0, prop.memoryClockRate > 0, prop.computeMode);
  size_t limit = 0;
  cudaThreadSetLimit(cudaLimitPrintfFifoSize, 1 << 20);
  cudaThreadGetLimit(&limit, cudaLimitPrintfFifoSize);
  cudaIpcMemHandle_t handle;
  const cudaError_t refused = cudaIpcGetMemHandle(&handle, out);
  printf("limit %zu, other processes: %s\n", limit, cudaGetErrorName(refused));
  nvtxNameCudaStreamA(nullptr, "main");
#if defined(CUBLAS_API_H_) && defined(_CUFFT_H_) && defined(CURAND_H_) && defined(__cuda_cuda_h__)
  printf("guards\n");
#endif

  // CUDA 12's names and forms.
  cudaGraph_t graph;
  cudaGraphNode_t node;
  cudaGraphCreate(&graph, 0);
  cudaGraphNodeParams empty = {};
  empty.type = cudaGraphNodeTypeEmpty;
  const cudaError_t added = cudaGraphAddNode(&node, graph, nullptr, 0, &empty);
  const cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
  printf("cuda 12 %d %d %d\n", added,
         cudaMemAdvise_v2(out, 64, cudaMemAdviseSetPreferredLocation, here),
         cudaMemPrefetchAsync_v2(out, 64, here, 0));
  cudaGraphDestroy(graph);
}
