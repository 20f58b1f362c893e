// The parameters of kernels that a stream's capture has put into a graph: read from the nodes, and changed in the graph
// that runs.
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                    \
  do {                                                                                 \
    const cudaError_t e = (call);                                                      \
    if (e != cudaSuccess) std::printf("line %d: %s\n", __LINE__, cudaGetErrorName(e)); \
  } while (0)

struct Line {
  double slope;
  char offset;
};

__global__ void add(int* x, int by, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += by;
}
template <class T>
__global__ void along(T* x, Line line, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = static_cast<T>(line.slope * i) + line.offset;
}
__global__ void nothing() {}

int main() {
  constexpr int n = 100;
  int *x, *other, host[n];
  CHECK(cudaMalloc(&x, sizeof host));
  CHECK(cudaMalloc(&other, sizeof host));
  CHECK(cudaMemset(other, 0, sizeof host));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  along<int><<<4, 32, 0, stream>>>(x, Line{2, 5}, n);
  along<<<4, 32, 0, stream>>>(x, Line{3, 1}, n);
  add<<<2, 64, 0, stream>>>(x, 7, n);
  nothing<<<1, 1, 0, stream>>>();
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));

  cudaGraphNode_t nodes[4];
  std::size_t count = 4;
  CHECK(cudaGraphGetNodes(graph, nodes, &count));
  for (std::size_t i = 0; i < count; ++i) {
    cudaKernelNodeParams node;
    CHECK(cudaGraphKernelNodeGetParams(nodes[i], &node));
    if (node.func == (void*)add) {
      std::printf("add of %d, %d elements, %s\n", *(int*)node.kernelParams[1],
                  *(int*)node.kernelParams[2], *(int**)node.kernelParams[0] == x ? "x" : "not x");
      int by = 1000;
      void* changed[] = {&other, &by, node.kernelParams[2]};
      node.kernelParams = changed;
      CHECK(cudaGraphExecKernelNodeSetParams(exec, nodes[i], &node));
    } else if (node.blockDim.x == 32) {
      const Line* line = static_cast<Line*>(node.kernelParams[1]);
      std::printf("along %g and %d\n", line->slope, line->offset);
      if (line->slope != 3) continue;
      node.func = (void*)along<int>;
      Line flat = {0, 9};
      node.kernelParams[1] = &flat;
      CHECK(cudaGraphExecKernelNodeSetParams(exec, nodes[i], &node));
    }
  }
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaMemcpyAsync(host, x, sizeof host, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  std::printf("x %d %d\n", host[0], host[99]);
  CHECK(cudaMemcpy(host, other, sizeof host, cudaMemcpyDeviceToHost));
  std::printf("other %d %d\n", host[0], host[99]);
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(x));
  CHECK(cudaFree(other));
}
