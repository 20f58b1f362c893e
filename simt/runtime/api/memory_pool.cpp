// Stream-ordered allocation and memory pools. A pool is a set of settings: all draw on one heap.

#include <algorithm>
#include <mutex>
#include <set>

#include "api/internal.h"
#include "graph/graph.h"

using namespace simt;
using namespace simt::api;

struct CUmemPoolHandle_st {
  unsigned long long release_threshold = 0;
  int follow_events = 1, opportunistic = 1, internal_dependencies = 1;
  unsigned long long used_high = 0;
};

namespace {

std::mutex pools_mutex;

std::set<cudaMemPool_t>& pools() {
  static auto* const all = new std::set<cudaMemPool_t>;
  return *all;
}

cudaMemPool_t default_pool() {
  static CUmemPoolHandle_st pool;
  return &pool;
}

cudaMemPool_t current_pool = nullptr;  // null: the default one

bool is_pool(cudaMemPool_t pool) {
  if (pool == default_pool()) return true;
  const std::lock_guard lock(pools_mutex);
  return pools().count(pool) != 0;
}

}  // namespace

cudaError_t cudaMallocAsync(void** pointer, size_t size, cudaStream_t stream) {
  return cudaMallocFromPoolAsync(pointer, size, current_pool ? current_pool : default_pool(),
                                 stream);
}

cudaError_t cudaMallocFromPoolAsync(void** pointer, size_t size, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  if (!is_pool(pool)) return record(cudaErrorInvalidValue);
  if (!is_stream(stream)) return record(cudaErrorInvalidResourceHandle);
  cudaGraphNode_t node = nullptr;
  if (const auto taken = graph::take(stream, cudaGraphNodeTypeMemAlloc, {}, &node)) {
    if (*taken || !pointer) return record(*taken ? *taken : cudaErrorInvalidValue);
    const auto allocation = graph::make_allocation(size);
    if (!allocation) return record(cudaErrorMemoryAllocation);
    *pointer = allocation->base;
    node->memory = allocation;
    node->allocation.bytesize = size;
    node->allocation.dptr = allocation->base;
    node->work = [allocation] { return graph::allocate(allocation); };
    return cudaSuccess;
  }
  const cudaError_t error = cudaMalloc(pointer, size);
  if (error == cudaSuccess)
    pool->used_high = std::max<unsigned long long>(pool->used_high, heap_used());
  return error;
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  if (!is_stream(stream)) return record(cudaErrorInvalidResourceHandle);
  cudaGraphNode_t node = nullptr;
  if (const auto taken = graph::take(stream, cudaGraphNodeTypeMemFree, {}, &node)) {
    if (const auto allocation = graph::allocation_at(pointer); node && allocation) {
      node->memory = allocation;
      node->work = [allocation] { return graph::free(allocation); };
    }
    return record(*taken);
  }
  return cudaFree(pointer);
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  if (!pool) return record(cudaErrorInvalidValue);
  if (device != 0) return record(cudaErrorInvalidDevice);
  *pool = default_pool();
  return cudaSuccess;
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  if (!pool) return record(cudaErrorInvalidValue);
  if (device != 0) return record(cudaErrorInvalidDevice);
  *pool = current_pool ? current_pool : default_pool();
  return cudaSuccess;
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  if (device != 0) return record(cudaErrorInvalidDevice);
  if (!is_pool(pool)) return record(cudaErrorInvalidValue);
  current_pool = pool;
  return cudaSuccess;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* props) {
  if (!pool || !props || props->allocType != cudaMemAllocationTypePinned)
    return record(cudaErrorInvalidValue);
  *pool = new CUmemPoolHandle_st;
  const std::lock_guard lock(pools_mutex);
  pools().insert(*pool);
  return cudaSuccess;
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  const std::lock_guard lock(pools_mutex);
  if (!pools().erase(pool)) return record(cudaErrorInvalidValue);
  if (current_pool == pool) current_pool = nullptr;
  delete pool;
  return cudaSuccess;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t) {
  return is_pool(pool) ? cudaSuccess : record(cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attr, void* value) {
  if (!is_pool(pool) || !value) return record(cudaErrorInvalidValue);
  const int number = *static_cast<int*>(value);
  switch (attr) {
    case cudaMemPoolReuseFollowEventDependencies:
      pool->follow_events = number;
      return cudaSuccess;
    case cudaMemPoolReuseAllowOpportunistic:
      pool->opportunistic = number;
      return cudaSuccess;
    case cudaMemPoolReuseAllowInternalDependencies:
      pool->internal_dependencies = number;
      return cudaSuccess;
    case cudaMemPoolAttrReleaseThreshold:
      pool->release_threshold = *static_cast<unsigned long long*>(value);
      return cudaSuccess;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh:
      pool->used_high = heap_used();  // may only be reset
      return cudaSuccess;
    default:
      return record(cudaErrorInvalidValue);
  }
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attr, void* value) {
  if (!is_pool(pool) || !value) return record(cudaErrorInvalidValue);
  int* const number = static_cast<int*>(value);
  unsigned long long* const bytes = static_cast<unsigned long long*>(value);
  switch (attr) {
    case cudaMemPoolReuseFollowEventDependencies:
      *number = pool->follow_events;
      return cudaSuccess;
    case cudaMemPoolReuseAllowOpportunistic:
      *number = pool->opportunistic;
      return cudaSuccess;
    case cudaMemPoolReuseAllowInternalDependencies:
      *number = pool->internal_dependencies;
      return cudaSuccess;
    case cudaMemPoolAttrReleaseThreshold:
      *bytes = pool->release_threshold;
      return cudaSuccess;
    case cudaMemPoolAttrReservedMemCurrent:
    case cudaMemPoolAttrUsedMemCurrent:
      *bytes = heap_used();
      return cudaSuccess;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh:
      *bytes = std::max<unsigned long long>(pool->used_high, heap_used());
      return cudaSuccess;
  }
  return record(cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* access,
                                 size_t count) {
  return is_pool(pool) && (access || count == 0) ? cudaSuccess : record(cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool,
                                 cudaMemLocation* location) {
  if (!flags || !location || !is_pool(pool)) return record(cudaErrorInvalidValue);
  *flags = cudaMemAccessFlagsProtReadWrite;
  return cudaSuccess;
}
