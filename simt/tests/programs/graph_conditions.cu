// Graphs: nodes that ask a condition (if, else, while, switch), one inside the other, filled node by node and by
// capture; copies of variables, attributes, events, objects that a graph owns.
#include <cooperative_groups.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

#define CHECK(call)                                                       \
  do {                                                                    \
    const cudaError_t e = (call);                                         \
    if (e != cudaSuccess) printf("%s: %s\n", #call, cudaGetErrorName(e)); \
  } while (0)

__device__ int counter;
__device__ int steps[2];

__global__ void set(cudaGraphConditionalHandle handle, unsigned value) {
  cudaGraphSetConditional(handle, value);
}
__global__ void add(int by) {
  counter += by;
}
__global__ void down(cudaGraphConditionalHandle handle, int* left) {
  if (--*left == 0) cudaGraphSetConditional(handle, 0);
}
__global__ void note(int which) {
  atomicAdd(&steps[which], 1);
}
__global__ void all_blocks(int* out) {
  atomicAdd(out, 1);
  cooperative_groups::this_grid().sync();
  if (threadIdx.x == 0 && blockIdx.x == 0) counter = *out;
}

int value_of_counter() {
  int value;
  CHECK(cudaMemcpyFromSymbol(&value, counter, sizeof value));
  return value;
}
void clear() {
  const int zero[2] = {};
  CHECK(cudaMemcpyToSymbol(counter, zero, sizeof(int)));
  CHECK(cudaMemcpyToSymbol(steps, zero, sizeof zero));
}

template <class... A>
cudaGraphNode_t kernel_node(cudaGraph_t graph, const cudaGraphNode_t* after, void (*kernel)(A...),
                            A... a) {
  void* arguments[] = {&a...};
  cudaGraphNodeParams p = {};
  p.type = cudaGraphNodeTypeKernel;
  p.kernel.func = reinterpret_cast<void*>(kernel);
  p.kernel.gridDim = p.kernel.blockDim = dim3(1);
  p.kernel.kernelParams = arguments;
  cudaGraphNode_t node;
  CHECK(cudaGraphAddNode(&node, graph, after, nullptr, after ? 1 : 0, &p));
  return node;
}

// The bodies of a conditional node.
cudaGraph_t* branch(cudaGraph_t graph, const cudaGraphNode_t* after,
                    cudaGraphConditionalHandle handle, cudaGraphConditionalNodeType type,
                    unsigned size) {
  cudaGraphNodeParams p = {};
  p.type = cudaGraphNodeTypeConditional;
  p.conditional.handle = handle;
  p.conditional.type = type;
  p.conditional.size = size;
  cudaGraphNode_t node;
  CHECK(cudaGraphAddNode(&node, graph, after, nullptr, after ? 1 : 0, &p));
  cudaGraphNodeType told;
  CHECK(cudaGraphNodeGetType(node, &told));
  if (told != cudaGraphNodeTypeConditional) printf("type %d\n", told);
  return p.conditional.phGraph_out;
}

int launch(cudaGraph_t graph) {
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, nullptr));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaGraphExecDestroy(exec));
  return value_of_counter();
}

void if_else() {
  for (unsigned value : {0u, 1u, 7u}) {
    clear();
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphConditionalHandle handle;
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph));
    const cudaGraphNode_t first = kernel_node(graph, nullptr, set, handle, value);
    cudaGraph_t* bodies = branch(graph, &first, handle, cudaGraphCondTypeIf, 2);
    kernel_node(bodies[0], nullptr, add, 10);
    kernel_node(bodies[1], nullptr, add, 200);
    const int result = launch(graph);
    printf("if %u: %d\n", value, result);
    CHECK(cudaGraphDestroy(graph));
  }
}

void switches() {
  for (unsigned value = 0; value < 4; ++value) {
    clear();
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphConditionalHandle handle;
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph, value, cudaGraphCondAssignDefault));
    cudaGraph_t* bodies = branch(graph, nullptr, handle, cudaGraphCondTypeSwitch, 3);
    for (int i = 0; i < 3; ++i) kernel_node(bodies[i], nullptr, add, i + 1);
    const int result = launch(graph);
    printf("switch %u: %d\n", value, result);
    CHECK(cudaGraphDestroy(graph));
  }
}

// A loop, captured from a stream: a kernel of it ends it.
void loops() {
  clear();
  int* left;
  CHECK(cudaMallocManaged(&left, sizeof *left));
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaGraphConditionalHandle again;
  CHECK(cudaGraphConditionalHandleCreate(&again, graph, 1, cudaGraphCondAssignDefault));
  cudaGraph_t body = branch(graph, nullptr, again, cudaGraphCondTypeWhile, 1)[0];
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamBeginCaptureToGraph(stream, body, nullptr, nullptr, 0,
                                      cudaStreamCaptureModeGlobal));
  note<<<1, 1, 0, stream>>>(0);
  down<<<1, 1, 0, stream>>>(again, left);
  CHECK(cudaStreamEndCapture(stream, nullptr));
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  int done[2];
  for (int rounds : {5, 1, 3}) {
    *left = rounds;
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpyFromSymbol(done, steps, sizeof done));
    printf("while %d: %d rounds in all\n", rounds, done[0]);
  }
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(left));
}

void nested() {
  for (unsigned inner = 0; inner < 2; ++inner) {
    clear();
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0));
    cudaGraphConditionalHandle outside, inside;
    CHECK(cudaGraphConditionalHandleCreate(&outside, graph, 1, cudaGraphCondAssignDefault));
    cudaGraph_t body = branch(graph, nullptr, outside, cudaGraphCondTypeIf, 1)[0];
    CHECK(cudaGraphConditionalHandleCreate(&inside, body, inner, cudaGraphCondAssignDefault));
    const cudaGraphNode_t first = kernel_node(body, nullptr, add, 1);
    kernel_node(branch(body, &first, inside, cudaGraphCondTypeIf, 1)[0], nullptr, add, 40);
    const int result = launch(graph);
    printf("nested %u: %d\n", inner, result);
    CHECK(cudaGraphDestroy(graph));
  }
}

// A node put between two captured kernels by hand, and what CUDA 13's forms say of edges.
void edges() {
  clear();
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  add<<<1, 1, 0, stream>>>(1);
  cudaStreamCaptureStatus status;
  cudaGraph_t graph;
  const cudaGraphNode_t* last;
  size_t count;
  CHECK(cudaStreamGetCaptureInfo(stream, &status, nullptr, &graph, &last, nullptr, &count));
  cudaGraphNode_t ours = kernel_node(graph, last, add, 20);
  CHECK(cudaStreamUpdateCaptureDependencies(stream, &ours, NULL, 1,
                                            cudaStreamSetCaptureDependencies));
  add<<<1, 1, 0, stream>>>(300);
  CHECK(cudaStreamEndCapture(stream, &graph));
  cudaGraphNode_t from[4], to[4], before, behind;
  cudaGraphEdgeData data[4];
  count = 4;
  CHECK(cudaGraphGetEdges(graph, from, to, data, &count));
  size_t one = 1;
  CHECK(cudaGraphNodeGetDependencies(ours, &before, data, &one));
  CHECK(cudaGraphNodeGetDependentNodes(ours, &behind, data, &one));
  printf("edges %zu, ours between: %d, data %d\n", count,
         from[0] == before && to[0] == ours && to[1] == behind, data[0].type);
  CHECK(cudaGraphRemoveDependencies(graph, &ours, &behind, nullptr, 1));
  CHECK(cudaGraphAddDependencies(graph, &before, &behind, nullptr, 1));
  const int result = launch(graph);
  printf("sum %d\n", result);
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
}

void refused() {
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaGraphConditionalHandle handle;
  CHECK(cudaGraphConditionalHandleCreate(&handle, graph));
  cudaGraphNodeParams p = {};
  p.type = cudaGraphNodeTypeConditional;
  p.conditional.handle = handle;
  p.conditional.type = cudaGraphCondTypeWhile;
  p.conditional.size = 2;
  cudaGraphNode_t node;
  printf("two bodies of a while: %s\n",
         cudaGetErrorName(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &p)));
  p.conditional.size = 0;
  printf("no body: %s\n",
         cudaGetErrorName(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &p)));
  CHECK(cudaGraphDestroy(graph));
}

void destroy(void* calls) {
  ++*static_cast<std::atomic<int>*>(calls);
}

void others() {
  clear();
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  // Variables in and out.
  const int five = 5;
  int out = 0;
  cudaGraphNode_t in, sum, back, grid;
  CHECK(cudaGraphAddMemcpyNodeToSymbol(&in, graph, nullptr, 0, counter, &five, sizeof five, 0,
                                       cudaMemcpyHostToDevice));
  sum = kernel_node(graph, &in, add, 37);
  CHECK(cudaGraphAddMemcpyNodeFromSymbol(&back, graph, &sum, 1, &out, counter, sizeof out, 0,
                                         cudaMemcpyDeviceToHost));
  // A kernel that needs all its blocks at once.
  int* blocks;
  CHECK(cudaMalloc(&blocks, sizeof(int)));
  CHECK(cudaMemset(blocks, 0, sizeof(int)));
  void* arguments[] = {&blocks};
  cudaKernelNodeParams kernel = {};
  kernel.func = reinterpret_cast<void*>(all_blocks);
  kernel.gridDim = dim3(4);
  kernel.blockDim = dim3(32);
  kernel.kernelParams = arguments;
  CHECK(cudaGraphAddKernelNode(&grid, graph, &back, 1, &kernel));
  cudaLaunchAttributeValue value = {};
  value.cooperative = 1;
  CHECK(cudaGraphKernelNodeSetAttribute(grid, cudaLaunchAttributeCooperative, &value));
  cudaLaunchAttributeValue told = {};
  CHECK(cudaGraphKernelNodeGetAttribute(grid, cudaLaunchAttributeCooperative, &told));
  // An object of ours that the graph and its copies own.
  std::atomic<int> destroyed{0};
  cudaUserObject_t object;
  CHECK(cudaUserObjectCreate(&object, &destroyed, destroy, 1, cudaUserObjectNoDestructorSync));
  CHECK(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));
  const int blocks_met = launch(graph);
  printf("variable %d, blocks %d (cooperative %d), destroyed %d\n", out, blocks_met,
         told.cooperative, destroyed.load());
  CHECK(cudaGraphDestroy(graph));
  // Another thread may do it, a little later.
  for (int i = 0; i < 200 && destroyed == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  printf("graph gone: destroyed %d\n", destroyed.load());
  CHECK(cudaFree(blocks));
}

__global__ void early(int* x) {
  *x = 3;
  cudaTriggerProgrammaticLaunchCompletion();
}
__global__ void late(int* x) {
  cudaGridDependencySynchronize();
  *x *= 7;
}

// A kernel that may start before the one before it is done, and waits for it itself.
void dependent() {
  int* x;
  CHECK(cudaMallocManaged(&x, sizeof *x));
  early<<<1, 1>>>(x);
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = config.blockDim = dim3(1);
  config.attrs = &attribute;
  config.numAttrs = 1;
  CHECK(cudaLaunchKernelEx(&config, late, x));
  CHECK(cudaDeviceSynchronize());
  printf("dependent %d\n", *x);
  CHECK(cudaFree(x));
}

int main() {
  if_else();
  switches();
  loops();
  nested();
  edges();
  refused();
  others();
  dependent();
}
