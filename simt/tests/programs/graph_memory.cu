// Memory of graphs: allocation and free nodes, addresses that serve again, memory that outlives a launch, what
// the device says it takes.
#include <cuda_runtime.h>

#include <cstdio>

#define CHECK(call)                                                               \
  do {                                                                            \
    const cudaError_t error = (call);                                             \
    if (error != cudaSuccess)                                                     \
      printf("line %d: %s gives %s\n", __LINE__, #call, cudaGetErrorName(error)); \
  } while (0)

__global__ void fill(int* to, int value, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = value + i;
}
__global__ void add(const int* from, int* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] += from[i];
}

constexpr int n = 1 << 19;
constexpr size_t bytes = n * sizeof(int);  // 2 MiB

cudaMemAllocNodeParams wanted() {
  cudaMemAllocNodeParams params = {};
  params.bytesize = bytes;
  params.poolProps.allocType = cudaMemAllocationTypePinned;
  params.poolProps.location.type = cudaMemLocationTypeDevice;
  return params;
}

unsigned long long taken() {
  unsigned long long value = 0;
  CHECK(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemCurrent, &value));
  return value >> 20;
}

cudaGraphNode_t kernel(cudaGraph_t graph, cudaGraphNode_t after, void* function, void** arguments) {
  cudaKernelNodeParams params = {};
  params.func = function;
  params.gridDim = dim3((n + 255) / 256);
  params.blockDim = dim3(256);
  params.kernelParams = arguments;
  cudaGraphNode_t node = nullptr;
  CHECK(cudaGraphAddKernelNode(&node, graph, &after, 1, &params));
  return node;
}

void nodes(int* result) {
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaMemAllocNodeParams first = wanted(), second = wanted();
  cudaGraphNode_t made, freed, again, end;
  CHECK(cudaGraphAddMemAllocNode(&made, graph, nullptr, 0, &first));
  int value = 5, count = n;
  void* fill_with[] = {&first.dptr, &value, &count};
  cudaGraphNode_t last = kernel(graph, made, (void*)fill, fill_with);
  void* add_with[] = {&first.dptr, &result, &count};
  last = kernel(graph, last, (void*)add, add_with);
  CHECK(cudaGraphAddMemFreeNode(&freed, graph, &last, 1, first.dptr));
  CHECK(cudaGraphAddMemAllocNode(&again, graph, &freed, 1, &second));
  CHECK(cudaGraphAddMemFreeNode(&end, graph, &again, 1, second.dptr));
  printf("the address %s\n", first.dptr == second.dptr ? "serves again" : "is another one");
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  printf("before a launch %llu MiB\n", taken());
  for (int i = 0; i < 3; ++i) CHECK(cudaGraphLaunch(exec, 0));
  CHECK(cudaDeviceSynchronize());
  printf("result %d %d, taken %llu MiB\n", result[0], result[n - 1], taken());
  CHECK(cudaDeviceGraphMemTrim(0));
  printf("after a trim %llu MiB\n", taken());
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
}

// A captured allocation that a call frees, not a node.
void outlives(int* result) {
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  int* memory;
  CHECK(cudaMallocAsync(&memory, bytes, stream));
  fill<<<(n + 255) / 256, 256, 0, stream>>>(memory, 7, n);
  cudaGraph_t graph;
  CHECK(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t exec, freeing;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphInstantiate(&freeing, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch));
  CHECK(cudaGraphLaunch(exec, stream));
  add<<<(n + 255) / 256, 256, 0, stream>>>(memory, result, n);
  CHECK(cudaStreamSynchronize(stream));
  printf("kept %d\n", result[0]);
  printf("launched twice: %s\n", cudaGetErrorName(cudaGraphLaunch(exec, stream)));
  CHECK(cudaGraphLaunch(freeing, stream));
  CHECK(cudaFreeAsync(memory, stream));
  CHECK(cudaGraphLaunch(exec, stream));
  printf("taken %llu MiB\n", taken());
  CHECK(cudaFree(memory));
  printf("freed twice: %s\n", cudaGetErrorName(cudaFree(memory)));
  cudaGetLastError();
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphExecDestroy(freeing));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
}

int main() {
  int* result;
  CHECK(cudaMallocManaged(&result, bytes));
  CHECK(cudaMemset(result, 0, bytes));
  nodes(result);
  outlives(result);
  CHECK(cudaFree(result));
}
