// Allocation and free nodes of graphs, and what a device reports about their memory.
//
// Two graphs never share addresses. How much memory they take is counted as a GPU does: launches
// into one stream use the same memory again, launches into several streams do not, and what was
// once taken is given back by cudaDeviceGraphMemTrim.

#include "graph/memory.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>

#include "graph/graph.h"

using namespace simt;
using namespace simt::api;

namespace {

struct Usage {
  std::size_t live = 0, reserved = 0;
};

struct State {
  std::mutex mutex;
  std::map<const void*, std::weak_ptr<graph::GraphAllocation>> allocations;
  std::set<std::shared_ptr<graph::GraphAllocation>> live;  // keeps what outlives its graph
  std::map<cudaStream_t, Usage> usage;
  std::size_t high = 0;
};

// Never destroyed: see heap().
State& state() {
  static State* const it = new State;
  return *it;
}

thread_local cudaStream_t launch_stream = nullptr;

std::size_t reserved(const State& all) {
  std::size_t bytes = 0;
  for (const auto& [stream, usage] : all.usage) bytes += usage.reserved;
  return bytes;
}

// Whether `node` comes after `other`, at once or by way of others.
bool is_after(const CUgraphNode_st* node, const CUgraphNode_st* other,
              std::set<const CUgraphNode_st*>& seen) {
  if (!seen.insert(node).second) return false;
  for (const cudaGraphNode_t before : node->after) {
    if (before == other || is_after(before, other, seen)) return true;
  }
  return false;
}

// Memory that an earlier node of the same graph frees serves again.
std::shared_ptr<graph::GraphAllocation> allocation_for(CUgraphNode_st& node, std::size_t bytes) {
  for (const auto& other : node.graph->nodes) {
    const auto& allocation = other->memory;
    if (other->type != cudaGraphNodeTypeMemFree || !allocation || allocation->bytes != bytes)
      continue;
    std::set<const CUgraphNode_st*> seen;
    if (allocation->freed_by == other.get() && is_after(&node, other.get(), seen)) {
      allocation->freed_by = nullptr;
      return allocation;
    }
  }
  return graph::make_allocation(bytes);
}

}  // namespace

graph::GraphAllocation::~GraphAllocation() {
  if (base == nullptr) return;
  {
    const std::lock_guard lock(state().mutex);
    state().allocations.erase(base);
  }
  cudaFree(base);
}

std::shared_ptr<graph::GraphAllocation> graph::make_allocation(std::size_t bytes) {
  auto allocation = std::make_shared<GraphAllocation>();
  if (allocate_own(&allocation->base, bytes) != cudaSuccess) return nullptr;
  allocation->bytes = bytes;
  const std::lock_guard lock(state().mutex);
  state().allocations[allocation->base] = allocation;
  return allocation;
}

std::shared_ptr<graph::GraphAllocation> graph::allocation_at(const void* base) {
  const std::lock_guard lock(state().mutex);
  const auto found = state().allocations.find(base);
  return found == state().allocations.end() ? nullptr : found->second.lock();
}

cudaError_t graph::allocate(const std::shared_ptr<GraphAllocation>& allocation) {
  State& all = state();
  const std::lock_guard lock(all.mutex);
  if (allocation->live) return cudaErrorInvalidValue;
  allocation->live = true;
  allocation->stream = launch_stream;
  all.live.insert(allocation);
  Usage& usage = all.usage[launch_stream];
  usage.live += allocation->bytes;
  usage.reserved = std::max(usage.reserved, usage.live);
  all.high = std::max(all.high, reserved(all));
  return cudaSuccess;
}

cudaError_t graph::free(const std::shared_ptr<GraphAllocation>& allocation) {
  State& all = state();
  const std::lock_guard lock(all.mutex);
  if (!allocation->live) return cudaErrorInvalidValue;
  allocation->live = false;
  all.usage[allocation->stream].live -= allocation->bytes;
  all.live.erase(allocation);
  return cudaSuccess;
}

graph::LaunchStream::LaunchStream(cudaStream_t stream) : before_(launch_stream) {
  launch_stream = stream;
}
graph::LaunchStream::~LaunchStream() {
  launch_stream = before_;
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* after, size_t count,
                                     cudaMemAllocNodeParams* params) {
  if (!params || params->bytesize == 0 ||
      params->poolProps.allocType != cudaMemAllocationTypePinned)
    return record(cudaErrorInvalidValue);
  if (!graph::add_node(node, graph, after, count, cudaGraphNodeTypeMemAlloc))
    return record(cudaErrorInvalidValue);
  const auto allocation = allocation_for(**node, params->bytesize);
  if (!allocation) {
    cudaGraphDestroyNode(*node);
    return record(cudaErrorMemoryAllocation);
  }
  params->dptr = allocation->base;
  (*node)->memory = allocation;
  (*node)->allocation = *params;
  (*node)->work = [allocation] { return graph::allocate(allocation); };
  return cudaSuccess;
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                    const cudaGraphNode_t* after, size_t count, void* pointer) {
  const auto allocation = graph::allocation_at(pointer);
  if (!allocation || !graph::add_node(node, graph, after, count, cudaGraphNodeTypeMemFree))
    return record(cudaErrorInvalidValue);
  allocation->freed_by = *node;
  (*node)->memory = allocation;
  (*node)->work = [allocation] { return graph::free(allocation); };
  return cudaSuccess;
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, cudaMemAllocNodeParams* params) {
  if (!node || !params || node->type != cudaGraphNodeTypeMemAlloc || !node->memory)
    return record(cudaErrorInvalidValue);
  *params = node->allocation;
  return cudaSuccess;
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void* pointer) {
  if (!node || !pointer || node->type != cudaGraphNodeTypeMemFree || !node->memory)
    return record(cudaErrorInvalidValue);
  *static_cast<void**>(pointer) = node->memory->base;
  return cudaSuccess;
}

cudaError_t cudaDeviceGraphMemTrim(int device) {
  if (device != 0) return record(cudaErrorInvalidDevice);
  const std::lock_guard lock(state().mutex);
  for (auto& [stream, usage] : state().usage) usage.reserved = usage.live;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute,
                                           void* value) {
  if (device != 0) return record(cudaErrorInvalidDevice);
  if (!value || static_cast<unsigned>(attribute) > cudaGraphMemAttrReservedMemHigh)
    return record(cudaErrorInvalidValue);
  const std::lock_guard lock(state().mutex);
  const bool high =
      attribute == cudaGraphMemAttrUsedMemHigh || attribute == cudaGraphMemAttrReservedMemHigh;
  *static_cast<unsigned long long*>(value) = high ? state().high : reserved(state());
  return cudaSuccess;
}

cudaError_t cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute,
                                           void* value) {
  if (device != 0) return record(cudaErrorInvalidDevice);
  // Only the high-water marks can be set, and only to zero.
  const bool high =
      attribute == cudaGraphMemAttrUsedMemHigh || attribute == cudaGraphMemAttrReservedMemHigh;
  if (!value || !high || *static_cast<unsigned long long*>(value) != 0)
    return record(cudaErrorInvalidValue);
  const std::lock_guard lock(state().mutex);
  state().high = reserved(state());
  return cudaSuccess;
}
