// Graphs as wholes: creating, cloning, querying, instantiating, launching. Their nodes are in
// nodes.cpp, the capture of streams in capture.cpp.

#include <algorithm>
#include <cstdio>

#include "graph/graph.h"

using namespace simt;
using namespace simt::api;

namespace {

// Copies as many as there is room for; without room, says how many there are.
cudaError_t give(const std::vector<cudaGraphNode_t>& nodes, cudaGraphNode_t* out, size_t* count) {
  if (!count) return record(cudaErrorInvalidValue);
  if (out) {
    std::copy_n(nodes.begin(), std::min(*count, nodes.size()), out);
    for (size_t i = nodes.size(); i < *count; ++i) out[i] = nullptr;
  }
  *count = nodes.size();
  return cudaSuccess;
}

struct Edge {
  cudaGraphNode_t from, to;
};

std::vector<Edge> edges_of(const CUgraph_st& graph) {
  std::vector<Edge> edges;
  for (const auto& node : graph.nodes) {
    for (const cudaGraphNode_t before : node->after) edges.push_back({before, node.get()});
  }
  return edges;
}

const char* name_of(cudaGraphNodeType type) {
  switch (type) {
    case cudaGraphNodeTypeKernel:
      return "kernel";
    case cudaGraphNodeTypeMemcpy:
      return "memcpy";
    case cudaGraphNodeTypeMemset:
      return "memset";
    case cudaGraphNodeTypeHost:
      return "host";
    case cudaGraphNodeTypeGraph:
      return "graph";
    case cudaGraphNodeTypeConditional:
      return "conditional";
    default:
      return "empty";
  }
}

cudaError_t instantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long flags = 0) {
  if (!exec || !graph) return record(cudaErrorInvalidValue);
  if (!graph->nodes.empty() && graph->order().empty()) return record(cudaErrorInvalidValue);
  *exec =
      new CUgraphExec_st{graph->clone(), (flags & cudaGraphInstantiateFlagAutoFreeOnLaunch) != 0};
  return cudaSuccess;
}

// Whether a node may take the place of one that was instantiated.
cudaGraphExecUpdateResult compare(const CUgraphNode_st& was, const CUgraphNode_st& now) {
  if (was.type != now.type) return cudaGraphExecUpdateErrorNodeTypeChanged;
  if (was.after.size() != now.after.size()) return cudaGraphExecUpdateErrorTopologyChanged;
  return cudaGraphExecUpdateSuccess;
}

}  // namespace

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned int flags) {
  if (!graph || flags != 0) return record(cudaErrorInvalidValue);
  *graph = new CUgraph_st;
  return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  if (!graph) return record(cudaErrorInvalidValue);
  delete graph;
  return cudaSuccess;
}

cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t original) {
  if (!clone || !original) return record(cudaErrorInvalidValue);
  *clone = new CUgraph_st;
  const auto copy = original->clone();
  (*clone)->nodes = std::move(copy->nodes);
  (*clone)->conditions = copy->conditions;
  (*clone)->objects = copy->objects;
  for (const auto& node : (*clone)->nodes) node->graph = *clone;
  return cudaSuccess;
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* node, cudaGraphNode_t original,
                                     cudaGraph_t clone) {
  if (!node || !clone) return record(cudaErrorInvalidValue);
  *node = clone->clone_of(original);
  return record(*node ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  if (!graph) return record(cudaErrorInvalidValue);
  std::vector<cudaGraphNode_t> all;
  for (const auto& node : graph->nodes) all.push_back(node.get());
  return give(all, nodes, count);
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  if (!graph) return record(cudaErrorInvalidValue);
  std::vector<cudaGraphNode_t> roots;
  for (const auto& node : graph->nodes) {
    if (node->after.empty()) roots.push_back(node.get());
  }
  return give(roots, nodes, count);
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                              size_t* count) {
  if (!graph || !count || (from == nullptr) != (to == nullptr))
    return record(cudaErrorInvalidValue);
  const std::vector<Edge> edges = edges_of(*graph);
  for (size_t i = 0; from != nullptr && i < std::min(*count, edges.size()); ++i) {
    from[i] = edges[i].from;
    to[i] = edges[i].to;
  }
  *count = edges.size();
  return cudaSuccess;
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* dependencies,
                                         size_t* count) {
  if (!node) return record(cudaErrorInvalidValue);
  return give(node->after, dependencies, count);
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* dependents,
                                           size_t* count) {
  if (!node) return record(cudaErrorInvalidValue);
  std::vector<cudaGraphNode_t> after;
  for (const Edge& edge : edges_of(*node->graph)) {
    if (edge.from == node) after.push_back(edge.to);
  }
  return give(after, dependents, count);
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, size_t count) {
  if (!graph || (count != 0 && (!from || !to))) return record(cudaErrorInvalidValue);
  for (size_t i = 0; i < count; ++i) {
    if (!graph->has(from[i]) || !graph->has(to[i]) || from[i] == to[i])
      return record(cudaErrorInvalidValue);
    to[i]->after.push_back(from[i]);
  }
  return cudaSuccess;
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                        const cudaGraphNode_t* to, size_t count) {
  if (!graph || (count != 0 && (!from || !to))) return record(cudaErrorInvalidValue);
  for (size_t i = 0; i < count; ++i) {
    if (!graph->has(to[i]) || std::erase(to[i]->after, from[i]) == 0)
      return record(cudaErrorInvalidValue);
  }
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph,
                                 unsigned long long flags) {
  return instantiate(exec, graph, flags);
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, cudaGraphNode_t* error,
                                 char* log, size_t log_size) {
  if (error) *error = nullptr;
  if (log && log_size != 0) *log = '\0';
  return instantiate(exec, graph);
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph,
                                          unsigned long long flags) {
  return instantiate(exec, graph, flags);
}
cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* exec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* params) {
  if (!params) return record(cudaErrorInvalidValue);
  const cudaError_t error = instantiate(exec, graph, params->flags);
  params->errNode_out = nullptr;
  params->result_out = error ? cudaGraphInstantiateInvalidStructure : cudaGraphInstantiateSuccess;
  return error;
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* info) {
  if (!exec || !graph || !info) return record(cudaErrorInvalidValue);
  *info = {cudaGraphExecUpdateSuccess, nullptr, nullptr};
  const auto& was = exec->graph->nodes;
  if (was.size() != graph->nodes.size()) info->result = cudaGraphExecUpdateErrorTopologyChanged;
  for (size_t i = 0; i < was.size() && info->result == cudaGraphExecUpdateSuccess; ++i) {
    info->result = compare(*was[i], *graph->nodes[i]);
    if (info->result != cudaGraphExecUpdateSuccess) info->errorNode = graph->nodes[i].get();
  }
  if (info->result != cudaGraphExecUpdateSuccess) return record(cudaErrorGraphExecUpdateFailure);
  // Its nodes go on being known by those of the graph it was made from.
  std::shared_ptr<CUgraph_st> now = graph->clone();
  for (size_t i = 0; i < was.size(); ++i) now->nodes[i]->origin = was[i]->origin;
  exec->graph = std::move(now);
  return cudaSuccess;
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t* node,
                                cudaGraphExecUpdateResult* result) {
  if (!result) return record(cudaErrorInvalidValue);
  cudaGraphExecUpdateResultInfo info;
  const cudaError_t error = cudaGraphExecUpdate(exec, graph, &info);
  *result = info.result;
  if (node) *node = info.errorNode;
  return error;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  if (!exec) return record(cudaErrorInvalidValue);
  if (const cudaError_t error = device_state()) return record(error);
  if (!is_stream(stream)) return record(cudaErrorInvalidResourceHandle);
  const std::shared_ptr<CUgraph_st> graph = exec->graph;
  cudaGraphNode_t node = nullptr;
  const auto taken = graph::take(
      stream, cudaGraphNodeTypeGraph, [graph] { return graph->run(); }, &node);
  if (node) node->child = graph;
  if (taken) return record(*taken);
  const graph::LaunchStream launch(stream);
  for (const auto& each : graph->nodes) {
    if (each->type != cudaGraphNodeTypeMemAlloc || !each->memory || !each->memory->live) continue;
    // Memory of the last launch that nobody has freed.
    if (!exec->frees_on_launch) return record(cudaErrorInvalidValue);
    graph::free(each->memory);
  }
  graph::start_conditions(*graph);
  return record(graph->run());
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream) {
  if (!exec) return record(cudaErrorInvalidValue);
  return record(is_stream(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  if (!exec) return record(cudaErrorInvalidValue);
  delete exec;
  return cudaSuccess;
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char* path, unsigned int) {
  if (!graph || !path) return record(cudaErrorInvalidValue);
  std::FILE* const file = std::fopen(path, "w");
  if (!file) return record(cudaErrorOperatingSystem);
  std::fputs("digraph {\n", file);
  for (const auto& node : graph->nodes) {
    std::fprintf(file, "  \"%p\" [label=\"%s\"];\n", static_cast<void*>(node.get()),
                 name_of(node->type));
  }
  for (const Edge& edge : edges_of(*graph)) {
    std::fprintf(file, "  \"%p\" -> \"%p\";\n", static_cast<void*>(edge.from),
                 static_cast<void*>(edge.to));
  }
  std::fputs("}\n", file);
  std::fclose(file);
  return cudaSuccess;
}
