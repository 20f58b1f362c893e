// Allocation and free nodes of graphs, and what a device says about their memory.
//
// Addresses are never shared by two graphs. How much memory they take is counted as a GPU does: launches into
// one stream use the same memory again, launches into several streams do not, and what was once taken is
// given back by cudaDeviceGraphMemTrim.

#include "graph_memory.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>

#include "graph.h"

using namespace simt;
using namespace simt::api;

namespace {

struct Usage {
  std::size_t live = 0, reserved = 0;
};

struct State {
  std::mutex mutex;
  std::map<const void*, std::weak_ptr<graph::Block>> blocks;
  std::set<std::shared_ptr<graph::Block>> live;  // keeps what outlives its graph
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
std::shared_ptr<graph::Block> block_for(CUgraphNode_st& node, std::size_t bytes) {
  for (const auto& other : node.graph->nodes) {
    const auto& block = other->memory;
    if (other->type != cudaGraphNodeTypeMemFree || !block || block->bytes != bytes) continue;
    std::set<const CUgraphNode_st*> seen;
    if (block->freed_by == other.get() && is_after(&node, other.get(), seen)) {
      block->freed_by = nullptr;
      return block;
    }
  }
  return graph::make_block(bytes);
}

}  // namespace

graph::Block::~Block() {
  if (base == nullptr) return;
  {
    const std::lock_guard lock(state().mutex);
    state().blocks.erase(base);
  }
  cudaFree(base);
}

std::shared_ptr<graph::Block> graph::make_block(std::size_t bytes) {
  auto block = std::make_shared<Block>();
  if (allocate_own(&block->base, bytes) != cudaSuccess) return nullptr;
  block->bytes = bytes;
  const std::lock_guard lock(state().mutex);
  state().blocks[block->base] = block;
  return block;
}

std::shared_ptr<graph::Block> graph::block_at(const void* base) {
  const std::lock_guard lock(state().mutex);
  const auto found = state().blocks.find(base);
  return found == state().blocks.end() ? nullptr : found->second.lock();
}

cudaError_t graph::allocate(const std::shared_ptr<Block>& block) {
  State& all = state();
  const std::lock_guard lock(all.mutex);
  if (block->live) return cudaErrorInvalidValue;
  block->live = true;
  block->stream = launch_stream;
  all.live.insert(block);
  Usage& usage = all.usage[launch_stream];
  usage.live += block->bytes;
  usage.reserved = std::max(usage.reserved, usage.live);
  all.high = std::max(all.high, reserved(all));
  return cudaSuccess;
}

cudaError_t graph::free(const std::shared_ptr<Block>& block) {
  State& all = state();
  const std::lock_guard lock(all.mutex);
  if (!block->live) return cudaErrorInvalidValue;
  block->live = false;
  all.usage[block->stream].live -= block->bytes;
  all.live.erase(block);
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
  const auto block = block_for(**node, params->bytesize);
  if (!block) {
    cudaGraphDestroyNode(*node);
    return record(cudaErrorMemoryAllocation);
  }
  params->dptr = block->base;
  (*node)->memory = block;
  (*node)->allocation = *params;
  (*node)->work = [block] { return graph::allocate(block); };
  return cudaSuccess;
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                    const cudaGraphNode_t* after, size_t count, void* pointer) {
  const auto block = graph::block_at(pointer);
  if (!block || !graph::add_node(node, graph, after, count, cudaGraphNodeTypeMemFree))
    return record(cudaErrorInvalidValue);
  block->freed_by = *node;
  (*node)->memory = block;
  (*node)->work = [block] { return graph::free(block); };
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
