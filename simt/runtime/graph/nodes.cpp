// Nodes of graphs, added and changed by a call per type.

#include <simt/kernel.h>

#include <cstring>

#include "graph/graph.h"

using namespace simt;
using namespace simt::api;
using graph::Work;

namespace {

std::shared_ptr<graph::KernelCall> kernel_call(const cudaKernelNodeParams& p) {
  if (!p.func || p.extra) return nullptr;
  graph::Recorder recorder;
  launch_registered(config(p.gridDim, p.blockDim, p.sharedMemBytes), p.func, p.kernelParams);
  return recorder.call;
}

// A fill of elements of one, two or four bytes.
cudaError_t fill(const cudaMemsetParams& p) {
  if (p.elementSize != 1 && p.elementSize != 2 && p.elementSize != 4) return cudaErrorInvalidValue;
  const size_t bytes = p.width * p.elementSize;
  const size_t pitch = p.height > 1 ? p.pitch : bytes;
  // One checked fill; wider elements are then written over it, for it is ordinary memory here.
  if (const cudaError_t error =
          cudaMemset2DAsync(p.dst, pitch, static_cast<int>(p.value & 255u), bytes, p.height))
    return error;
  for (size_t row = 0; p.elementSize > 1 && row < p.height; ++row) {
    char* const to = static_cast<char*>(p.dst) + row * pitch;
    for (size_t i = 0; i < p.width; ++i)
      std::memcpy(to + i * p.elementSize, &p.value, p.elementSize);
  }
  return cudaSuccess;
}

cudaMemcpy3DParms line(void* dst, const void* src, size_t count, cudaMemcpyKind kind) {
  cudaMemcpy3DParms p = {};
  p.srcPtr = make_cudaPitchedPtr(const_cast<void*>(src), count, count, 1);
  p.dstPtr = make_cudaPitchedPtr(dst, count, count, 1);
  p.extent = make_cudaExtent(count, 1, 1);
  p.kind = kind;
  return p;
}

void set(CUgraphNode_st& node, const cudaMemcpy3DParms& p) {
  node.copy = p;
  node.work = [p] { return cudaMemcpy3DAsync(&p); };
}
void set(CUgraphNode_st& node, const cudaMemsetParams& p) {
  node.fill = p;
  node.work = [p] { return fill(p); };
}
void set(CUgraphNode_st& node, const cudaHostNodeParams& p) {
  node.host = p;
  node.work = [p] {
    if (!is_poisoned()) p.fn(p.userData);
    return cudaSuccess;
  };
}
void set(CUgraphNode_st& node, std::shared_ptr<graph::KernelCall> call) {
  node.kernel = call;
  node.work = [call] { return call->run(); };
}
void set(CUgraphNode_st& node, cudaGraph_t child) {
  node.child = child->clone();
  node.work = [graph = node.child] { return graph->run(); };
}

template <class P>
cudaError_t add_with(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                     size_t count, cudaGraphNodeType type, const P& params) {
  if (!graph::add_node(node, graph, after, count, type)) return record(cudaErrorInvalidValue);
  set(**node, params);
  return cudaSuccess;
}

bool is(cudaGraphNode_t node, cudaGraphNodeType type) {
  return node != nullptr && node->type == type;
}

// In an instantiated graph a node is named by the one it was made from.
template <class P>
cudaError_t change(cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraphNodeType type,
                   const P& params) {
  CUgraphNode_st* const own = exec != nullptr ? exec->graph->clone_of(node) : nullptr;
  if (!is(own, type)) return record(cudaErrorInvalidValue);
  set(*own, params);
  return cudaSuccess;
}

}  // namespace

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* after, size_t count,
                                   const cudaKernelNodeParams* params) {
  if (!params) return record(cudaErrorInvalidValue);
  const auto call = kernel_call(*params);
  if (!call) return record(cudaErrorInvalidDeviceFunction);
  return add_with(node, graph, after, count, cudaGraphNodeTypeKernel, call);
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* after, size_t count,
                                   const cudaMemcpy3DParms* params) {
  if (!params) return record(cudaErrorInvalidValue);
  return add_with(node, graph, after, count, cudaGraphNodeTypeMemcpy, *params);
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* after, size_t count, void* dst,
                                     const void* src, size_t bytes, cudaMemcpyKind kind) {
  return add_with(node, graph, after, count, cudaGraphNodeTypeMemcpy, line(dst, src, bytes, kind));
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* after, size_t count,
                                   const cudaMemsetParams* params) {
  if (!params) return record(cudaErrorInvalidValue);
  return add_with(node, graph, after, count, cudaGraphNodeTypeMemset, *params);
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                 const cudaGraphNode_t* after, size_t count,
                                 const cudaHostNodeParams* params) {
  if (!params || !params->fn) return record(cudaErrorInvalidValue);
  return add_with(node, graph, after, count, cudaGraphNodeTypeHost, *params);
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                       const cudaGraphNode_t* after, size_t count,
                                       cudaGraph_t child) {
  if (!child) return record(cudaErrorInvalidValue);
  return add_with(node, graph, after, count, cudaGraphNodeTypeGraph, child);
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                  const cudaGraphNode_t* after, size_t count) {
  return record(graph::add_node(node, graph, after, count, cudaGraphNodeTypeEmpty)
                    ? cudaSuccess
                    : cudaErrorInvalidValue);
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                        const cudaGraphNode_t* after, size_t count,
                                        cudaEvent_t event) {
  if (!graph::add_node(node, graph, after, count, cudaGraphNodeTypeEventRecord))
    return record(cudaErrorInvalidValue);
  return cudaGraphEventRecordNodeSetEvent(*node, event);
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                      const cudaGraphNode_t* after, size_t count,
                                      cudaEvent_t event) {
  if (!graph::add_node(node, graph, after, count, cudaGraphNodeTypeWaitEvent))
    return record(cudaErrorInvalidValue);
  return cudaGraphEventWaitNodeSetEvent(*node, event);
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
  if (!node) return record(cudaErrorInvalidValue);
  CUgraph_st* const graph = node->graph;
  for (const auto& other : graph->nodes) std::erase(other->after, node);
  std::erase_if(graph->nodes, [&](const auto& n) { return n.get() == node; });
  return cudaSuccess;
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  if (!node || !type) return record(cudaErrorInvalidValue);
  *type = node->type;
  return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* params) {
  // A library's call has no parameters to show.
  if (!is(node, cudaGraphNodeTypeKernel) || !params || !node->kernel)
    return record(cudaErrorInvalidValue);
  *params = node->kernel->params();
  return cudaSuccess;
}
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* params) {
  if (!is(node, cudaGraphNodeTypeKernel) || !params) return record(cudaErrorInvalidValue);
  const auto call = kernel_call(*params);
  if (!call) return record(cudaErrorInvalidDeviceFunction);
  set(*node, call);
  return cudaSuccess;
}
cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* params) {
  if (!is(node, cudaGraphNodeTypeMemcpy) || !params) return record(cudaErrorInvalidValue);
  *params = node->copy;
  return cudaSuccess;
}
cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms* params) {
  if (!is(node, cudaGraphNodeTypeMemcpy) || !params) return record(cudaErrorInvalidValue);
  set(*node, *params);
  return cudaSuccess;
}
cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* dst, const void* src,
                                           size_t bytes, cudaMemcpyKind kind) {
  if (!is(node, cudaGraphNodeTypeMemcpy)) return record(cudaErrorInvalidValue);
  set(*node, line(dst, src, bytes, kind));
  return cudaSuccess;
}
cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* params) {
  if (!is(node, cudaGraphNodeTypeMemset) || !params) return record(cudaErrorInvalidValue);
  *params = node->fill;
  return cudaSuccess;
}
cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* params) {
  if (!is(node, cudaGraphNodeTypeMemset) || !params) return record(cudaErrorInvalidValue);
  set(*node, *params);
  return cudaSuccess;
}
cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* params) {
  if (!is(node, cudaGraphNodeTypeHost) || !params) return record(cudaErrorInvalidValue);
  *params = node->host;
  return cudaSuccess;
}
cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* params) {
  if (!is(node, cudaGraphNodeTypeHost) || !params || !params->fn)
    return record(cudaErrorInvalidValue);
  set(*node, *params);
  return cudaSuccess;
}
cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* graph) {
  if (!is(node, cudaGraphNodeTypeGraph) || !graph) return record(cudaErrorInvalidValue);
  *graph = node->child.get();
  return cudaSuccess;
}

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* params) {
  const auto call = params ? kernel_call(*params) : nullptr;
  if (!call) return record(cudaErrorInvalidValue);
  return change(exec, node, cudaGraphNodeTypeKernel, call);
}
cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* params) {
  if (!params) return record(cudaErrorInvalidValue);
  return change(exec, node, cudaGraphNodeTypeMemcpy, *params);
}
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t exec, cudaGraphNode_t node,
                                               void* dst, const void* src, size_t bytes,
                                               cudaMemcpyKind kind) {
  return change(exec, node, cudaGraphNodeTypeMemcpy, line(dst, src, bytes, kind));
}
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                             const cudaMemsetParams* params) {
  if (!params) return record(cudaErrorInvalidValue);
  return change(exec, node, cudaGraphNodeTypeMemset, *params);
}
cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                           const cudaHostNodeParams* params) {
  if (!params || !params->fn) return record(cudaErrorInvalidValue);
  return change(exec, node, cudaGraphNodeTypeHost, *params);
}
cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                                 cudaGraph_t child) {
  if (!child) return record(cudaErrorInvalidValue);
  return change(exec, node, cudaGraphNodeTypeGraph, child);
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
                                    unsigned int enabled) {
  CUgraphNode_st* const own = exec ? exec->graph->clone_of(node) : nullptr;
  if (!own) return record(cudaErrorInvalidValue);
  own->enabled = enabled != 0;
  return cudaSuccess;
}
cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
                                    unsigned int* enabled) {
  const CUgraphNode_st* const own = exec ? exec->graph->clone_of(node) : nullptr;
  if (!own || !enabled) return record(cudaErrorInvalidValue);
  *enabled = own->enabled;
  return cudaSuccess;
}
