// Edges of graphs with their data; nodes of any type by one call (cudaGraphAddNode); copies of
// symbols, attributes of kernels, events.

#include "graph/graph.h"

using namespace simt;
using namespace simt::api;

namespace {

cudaKernelNodeParams plain(const cudaKernelNodeParamsV2& p) {
  return {p.func, p.gridDim, p.blockDim, p.sharedMemBytes, p.kernelParams, p.extra};
}
cudaMemsetParams plain(const cudaMemsetParamsV2& p) {
  cudaMemsetParams result = {};
  result.dst = p.dst;
  result.pitch = p.pitch;
  result.value = p.value;
  result.elementSize = p.elementSize;
  result.width = p.width;
  result.height = p.height;
  return result;
}
cudaHostNodeParams plain(const cudaHostNodeParamsV2& p) {
  return {p.fn, p.userData};
}

// No edge has data of its own.
cudaError_t plain_edges(cudaGraphEdgeData* edges, size_t room) {
  for (size_t i = 0; edges != nullptr && i < room; ++i) edges[i] = {};
  return cudaSuccess;
}

bool is(cudaGraphNode_t node, cudaGraphNodeType type) {
  return node != nullptr && node->type == type;
}

}  // namespace

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, const cudaGraphEdgeData*,
                                     size_t count) {
  return cudaGraphAddDependencies(graph, from, to, count);
}
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                        const cudaGraphNode_t* to, const cudaGraphEdgeData*,
                                        size_t count) {
  return cudaGraphRemoveDependencies(graph, from, to, count);
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                              cudaGraphEdgeData* edges, size_t* count) {
  const size_t room = count ? *count : 0;
  const cudaError_t error = cudaGraphGetEdges(graph, from, to, count);
  return error ? error : plain_edges(edges, room);
}
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* dependencies,
                                         cudaGraphEdgeData* edges, size_t* count) {
  const size_t room = count ? *count : 0;
  const cudaError_t error = cudaGraphNodeGetDependencies(node, dependencies, count);
  return error ? error : plain_edges(edges, room);
}
cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* dependents,
                                           cudaGraphEdgeData* edges, size_t* count) {
  const size_t room = count ? *count : 0;
  const cudaError_t error = cudaGraphNodeGetDependentNodes(node, dependents, count);
  return error ? error : plain_edges(edges, room);
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                             const cudaGraphEdgeData*, size_t count, cudaGraphNodeParams* params) {
  if (!params) return record(cudaErrorInvalidValue);
  switch (params->type) {
    case cudaGraphNodeTypeKernel: {
      const cudaKernelNodeParams p = plain(params->kernel);
      return cudaGraphAddKernelNode(node, graph, after, count, &p);
    }
    case cudaGraphNodeTypeMemcpy:
      return cudaGraphAddMemcpyNode(node, graph, after, count, &params->memcpy.copyParams);
    case cudaGraphNodeTypeMemset: {
      const cudaMemsetParams p = plain(params->memset);
      return cudaGraphAddMemsetNode(node, graph, after, count, &p);
    }
    case cudaGraphNodeTypeHost: {
      const cudaHostNodeParams p = plain(params->host);
      return cudaGraphAddHostNode(node, graph, after, count, &p);
    }
    case cudaGraphNodeTypeGraph: {
      const auto& p = params->graph;
      const cudaError_t error = cudaGraphAddChildGraphNode(node, graph, after, count, p.graph);
      // The node has a copy; a graph that was handed over is of no more use.
      if (!error && p.ownership == cudaGraphChildGraphOwnershipMove) cudaGraphDestroy(p.graph);
      return error;
    }
    case cudaGraphNodeTypeEmpty:
      return cudaGraphAddEmptyNode(node, graph, after, count);
    case cudaGraphNodeTypeWaitEvent:
      return cudaGraphAddEventWaitNode(node, graph, after, count, params->eventWait.event);
    case cudaGraphNodeTypeEventRecord:
      return cudaGraphAddEventRecordNode(node, graph, after, count, params->eventRecord.event);
    case cudaGraphNodeTypeMemAlloc:
      return cudaGraphAddMemAllocNode(node, graph, after, count, &params->alloc);
    case cudaGraphNodeTypeMemFree:
      return cudaGraphAddMemFreeNode(node, graph, after, count, params->free.dptr);
    case cudaGraphNodeTypeConditional:
      return record(graph::add_branches(node, graph, after, count, params->conditional));
    default:
      return record(cudaErrorNotSupported);
  }
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams* params) {
  if (!params || !is(node, params->type)) return record(cudaErrorInvalidValue);
  switch (params->type) {
    case cudaGraphNodeTypeKernel: {
      const cudaKernelNodeParams p = plain(params->kernel);
      return cudaGraphKernelNodeSetParams(node, &p);
    }
    case cudaGraphNodeTypeMemcpy:
      return cudaGraphMemcpyNodeSetParams(node, &params->memcpy.copyParams);
    case cudaGraphNodeTypeMemset: {
      const cudaMemsetParams p = plain(params->memset);
      return cudaGraphMemsetNodeSetParams(node, &p);
    }
    case cudaGraphNodeTypeHost: {
      const cudaHostNodeParams p = plain(params->host);
      return cudaGraphHostNodeSetParams(node, &p);
    }
    case cudaGraphNodeTypeWaitEvent:
      return cudaGraphEventWaitNodeSetEvent(node, params->eventWait.event);
    case cudaGraphNodeTypeEventRecord:
      return cudaGraphEventRecordNodeSetEvent(node, params->eventRecord.event);
    default:
      return record(cudaErrorNotSupported);
  }
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
                                       cudaGraphNodeParams* params) {
  // In an instantiated graph a node is named by the one it was made from.
  CUgraphNode_st* const own = exec != nullptr ? exec->graph->clone_of(node) : nullptr;
  return own ? cudaGraphNodeSetParams(own, params) : record(cudaErrorInvalidValue);
}

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
  if (!is(node, cudaGraphNodeTypeEventRecord) || !event) return record(cudaErrorInvalidValue);
  *event = node->event;
  return cudaSuccess;
}
cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  if (!is(node, cudaGraphNodeTypeEventRecord)) return record(cudaErrorInvalidValue);
  node->event = event;
  node->work = [event] { return cudaEventRecord(event, nullptr); };
  return cudaSuccess;
}
cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
  if (!is(node, cudaGraphNodeTypeWaitEvent) || !event) return record(cudaErrorInvalidValue);
  *event = node->event;
  return cudaSuccess;
}
cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  if (!is(node, cudaGraphNodeTypeWaitEvent)) return record(cudaErrorInvalidValue);
  node->event = event;  // what was recorded is done: there is nothing to wait for
  return cudaSuccess;
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                           const cudaGraphNode_t* after, size_t dependencies,
                                           const void* symbol, const void* src, size_t count,
                                           size_t offset, cudaMemcpyKind kind) {
  void* address = nullptr;
  if (const cudaError_t error = cudaGetSymbolAddress(&address, symbol)) return error;
  return cudaGraphAddMemcpyNode1D(node, graph, after, dependencies,
                                  static_cast<char*>(address) + offset, src, count, kind);
}
cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                             const cudaGraphNode_t* after, size_t dependencies,
                                             void* dst, const void* symbol, size_t count,
                                             size_t offset, cudaMemcpyKind kind) {
  void* address = nullptr;
  if (const cudaError_t error = cudaGetSymbolAddress(&address, symbol)) return error;
  return cudaGraphAddMemcpyNode1D(node, graph, after, dependencies, dst,
                                  static_cast<char*>(address) + offset, count, kind);
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID attribute,
                                            const cudaLaunchAttributeValue* value) {
  if (!is(node, cudaGraphNodeTypeKernel) || !value || !node->kernel)
    return record(cudaErrorInvalidValue);
  node->attributes[attribute] = *value;
  Config config = node->kernel->config;
  if (attribute == cudaLaunchAttributeCooperative) config.cooperative = value->cooperative != 0;
  if (attribute == cudaLaunchAttributeClusterDimension)
    config.cluster = dim3(value->clusterDim.x, value->clusterDim.y, value->clusterDim.z);
  // A new call: graphs that were made from this one keep theirs.
  node->kernel = node->kernel->with(config);
  node->work = [call = node->kernel] { return call->run(); };
  return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID attribute,
                                            cudaLaunchAttributeValue* value) {
  if (!is(node, cudaGraphNodeTypeKernel) || !value) return record(cudaErrorInvalidValue);
  *value = {};
  const auto found = node->attributes.find(attribute);
  if (found != node->attributes.end()) {
    *value = found->second;
  } else if (attribute == cudaLaunchAttributeCooperative && node->kernel) {
    value->cooperative = node->kernel->config.cooperative;
  } else if (attribute == cudaLaunchAttributeClusterDimension && node->kernel) {
    const dim3 cluster = node->kernel->config.cluster;
    value->clusterDim = {cluster.x, cluster.y, cluster.z};
  }
  return cudaSuccess;
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t from, cudaGraphNode_t to) {
  if (!is(from, cudaGraphNodeTypeKernel) || !is(to, cudaGraphNodeTypeKernel))
    return record(cudaErrorInvalidValue);
  for (const auto& [attribute, value] : from->attributes) {
    if (const cudaError_t error = cudaGraphKernelNodeSetAttribute(to, attribute, &value))
      return error;
  }
  return cudaSuccess;
}
