// Graphs: captured from streams, and built node by node; launched, changed, copied.
#include <cstdio>
#include <vector>

#define CHECK(call)                                                       \
  do {                                                                    \
    const cudaError_t e = (call);                                         \
    if (e != cudaSuccess) printf("%s: %s\n", #call, cudaGetErrorName(e)); \
  } while (0)

__global__ void scale(float* x, float by, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= by;
}
template <class T>
__global__ void add(const T* a, const T* b, T* c) {
  c[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}
void count(void* calls) {
  ++*static_cast<int*>(calls);
}

constexpr int n = 64;

void captured(float* a, float* b, float* c) {
  cudaStream_t main, side;
  cudaEvent_t fork, join;
  cudaStreamCreate(&main);
  cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
  cudaEventCreate(&fork);
  cudaEventCreate(&join);
  std::vector<float> host(n, 1);
  int calls = 0;
  cudaStreamCaptureStatus status;

  CHECK(cudaStreamBeginCapture(main, cudaStreamCaptureModeGlobal));
  CHECK(cudaMemcpyAsync(a, host.data(), n * sizeof(float), cudaMemcpyHostToDevice, main));
  CHECK(cudaEventRecord(fork, main));
  CHECK(cudaStreamWaitEvent(side, fork));
  scale<<<2, 32, 0, main>>>(a, 3, n);
  CHECK(cudaMemsetAsync(b, 0, n * sizeof(float), side));
  CHECK(cudaStreamIsCapturing(side, &status));
  CHECK(cudaEventRecord(join, side));
  CHECK(cudaStreamWaitEvent(main, join));
  add<<<1, n, 0, main>>>(a, b, c);
  CHECK(cudaLaunchHostFunc(main, count, &calls));
  cudaGraph_t graph;
  CHECK(cudaStreamEndCapture(main, &graph));
  size_t nodes = 0, edges = 0;
  CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
  CHECK(cudaGraphGetEdges(graph, nullptr, nullptr, &edges));
  printf("captured: %zu nodes, %zu edges, side %d, calls %d\n", nodes, edges, status, calls);

  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  c[5] = 0;
  for (int k = 0; k < 3; ++k) {
    host[5] = static_cast<float>(10 + k);  // read when the graph runs
    CHECK(cudaGraphLaunch(exec, main));
  }
  CHECK(cudaStreamSynchronize(main));
  printf("c %g %g, calls %d\n", c[4], c[5], calls);

  // What may not be captured, and what a capture must come back to.
  CHECK(cudaStreamBeginCapture(main, cudaStreamCaptureModeGlobal));
  printf("wait: %s\n", cudaGetErrorName(cudaStreamSynchronize(main)));
  printf("end: %s\n", cudaGetErrorName(cudaStreamEndCapture(main, &graph)));
  CHECK(cudaStreamBeginCapture(main, cudaStreamCaptureModeRelaxed));
  CHECK(cudaEventRecord(fork, main));
  CHECK(cudaStreamWaitEvent(side, fork));
  scale<<<2, 32, 0, side>>>(a, 3, n);
  printf("unjoined: %s\n", cudaGetErrorName(cudaStreamEndCapture(main, &graph)));
  printf("none: %s\n", cudaGetErrorName(cudaStreamEndCapture(main, &graph)));
  cudaGetLastError();
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaStreamDestroy(main));
}

// What names the kernel is gone when the graph runs: a variable, a table, an object, a parameter.
template <class F>
void launch_through(cudaStream_t stream, F kernel, float* x, float by) {
  kernel<<<2, 32, 0, stream>>>(x, by, n);
}
__global__ void shift(float* x, float by, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) x[i] += by;
}
struct Chosen {
  void (*kernel)(float*, float, int);
};
__attribute__((noinline)) void record(cudaStream_t stream, float* x, bool grow) {
  auto kernel = grow ? scale : shift;
  kernel<<<2, 32, 0, stream>>>(x, 4, n);
  void (*table[])(float*, float, int) = {shift, scale};
  for (int i = 0; i < 2; ++i) table[i]<<<2, 32, 0, stream>>>(x, 3, n);
  Chosen chosen = {shift};
  chosen.kernel<<<2, 32, 0, stream>>>(x, 2, n);
  launch_through(stream, &scale, x, 10);
  [=](auto k) { k<<<2, 32, 0, stream>>>(x, 1, n); }(shift);
}
__attribute__((noinline)) void overwrite_stack() {
  volatile unsigned char bytes[4096];
  for (volatile unsigned char& b : bytes) b = 0xcd;
}
void named_by_variables(float* a) {
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  record(stream, a, true);
  CHECK(cudaStreamEndCapture(stream, &graph));
  overwrite_stack();
  CHECK(cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  for (int i = 0; i < n; ++i) a[i] = 1;
  for (int k = 0; k < 2; ++k) CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  printf("named by variables: %g\n", a[9]);  // x -> ((x * 4 + 3) * 3 + 2) * 10 + 1
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaStreamDestroy(stream));
}

void built(float* a, float* b, float* c) {
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t fill, times, sum, call;
  cudaMemsetParams ones = {b, 0, 0x3f800000u, 4, n, 1};
  CHECK(cudaGraphAddMemsetNode(&fill, graph, nullptr, 0, &ones));
  int size = n;
  float by = 2;
  void* args[] = {&b, &by, &size};
  cudaKernelNodeParams launch = {};
  launch.func = (void*)scale;
  launch.gridDim = dim3(2);
  launch.blockDim = dim3(32);
  launch.kernelParams = args;
  CHECK(cudaGraphAddKernelNode(&times, graph, &fill, 1, &launch));
  by = 100;  // the node has its own copy
  void* sum_args[] = {&a, &b, &c};
  cudaKernelNodeParams sum_launch = {(void*)add<float>, dim3(1), dim3(n), 0, sum_args, nullptr};
  CHECK(cudaGraphAddKernelNode(&sum, graph, nullptr, 0, &sum_launch));
  int calls = 0;
  cudaHostNodeParams host = {count, &calls};
  CHECK(cudaGraphAddHostNode(&call, graph, &sum, 1, &host));
  CHECK(cudaGraphAddDependencies(graph, &times, &sum, 1));
  for (int i = 0; i < n; ++i) a[i] = 10;

  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, nullptr));
  CHECK(cudaDeviceSynchronize());
  printf("built: c %g, calls %d\n", c[7], calls);

  cudaKernelNodeParams asked;
  CHECK(cudaGraphKernelNodeGetParams(times, &asked));
  printf("asked: %u %u, by %g\n", asked.gridDim.x, asked.blockDim.x,
         *static_cast<float*>(asked.kernelParams[1]));
  by = 5;
  CHECK(cudaGraphExecKernelNodeSetParams(exec, times, &launch));
  CHECK(cudaGraphNodeSetEnabled(exec, call, 0));
  CHECK(cudaGraphLaunch(exec, nullptr));
  CHECK(cudaDeviceSynchronize());
  printf("changed: c %g, calls %d\n", c[7], calls);

  // A clone inside a larger graph; an update; a cycle.
  cudaGraph_t clone, whole;
  cudaGraphNode_t child, copy;
  CHECK(cudaGraphClone(&clone, graph));
  CHECK(cudaGraphCreate(&whole, 0));
  CHECK(cudaGraphAddChildGraphNode(&child, whole, nullptr, 0, clone));
  CHECK(cudaGraphAddMemcpyNode1D(&copy, whole, &child, 1, a, c, n * sizeof(float),
                                 cudaMemcpyDeviceToDevice));
  cudaGraphExec_t twice;
  CHECK(cudaGraphInstantiate(&twice, whole, 0));
  CHECK(cudaGraphLaunch(twice, nullptr));
  CHECK(cudaGraphLaunch(twice, nullptr));
  CHECK(cudaDeviceSynchronize());
  printf("child: a %g, calls %d\n", a[7], calls);
  by = 7;
  CHECK(cudaGraphKernelNodeSetParams(times, &launch));
  cudaGraphExecUpdateResultInfo info;
  CHECK(cudaGraphExecUpdate(exec, graph, &info));
  CHECK(cudaGraphLaunch(exec, nullptr));
  CHECK(cudaDeviceSynchronize());
  printf("updated: c %g\n", c[7]);
  const cudaError_t other = cudaGraphExecUpdate(exec, whole, &info);
  printf("other: %s, result %d\n", cudaGetErrorName(other), info.result);
  CHECK(cudaGraphAddDependencies(graph, &call, &fill, 1));
  printf("cycle: %s\n", cudaGetErrorName(cudaGraphInstantiate(&exec, graph, 0)));
}

int main() {
  float *a, *b, *c;
  cudaMallocManaged(&a, n * sizeof(float));
  cudaMallocManaged(&b, n * sizeof(float));
  cudaMallocManaged(&c, n * sizeof(float));
  captured(a, b, c);
  named_by_variables(a);
  built(a, b, c);
}
