#pragma once

// The typed forms of the runtime API that CUDA gives C++ programs.

#include <cuda_runtime_api.h>
#include <simt/array_shape.h>
#include <simt/kernel.h>

namespace simt {

// Remembers that these bytes are a __device__ or __constant__ variable, so that its address counts
// as device memory and copies to it are checked against its size.
void register_symbol(const void* address, size_t size);

// What stands where a device variable should: the translator writes it (cc/spaces).
struct HostVariable {
  const volatile void* address;
};
inline const void* symbol_address(const HostVariable& variable) {
  return const_cast<const void*>(variable.address);
}

template <class T>
const void* symbol_address(const T& symbol) {
  const void* address =
      const_cast<const void*>(static_cast<const volatile void*>(__builtin_addressof(symbol)));
  register_symbol(address, sizeof(T));
  return address;
}

// By the type of its pointer the checks name an element of an allocation: p[3], m[1][5].
void tell_shape(const void* base, const ArrayShape& shape);
template <class T, class = void>
inline constexpr bool has_size = false;
template <class T>
inline constexpr bool has_size<T, std::void_t<decltype(sizeof(T))>> =
    std::is_object_v<T> && !std::is_abstract_v<T>;
// Inlined, as those that call it: an allocation is named after the program's line.
template <class T>
[[gnu::always_inline]] inline cudaError_t with_shape(cudaError_t error, T** pointer) {
  if constexpr (has_size<T>) {
    const volatile void* const base = *pointer;
    if (error == cudaSuccess) tell_shape(const_cast<const void*>(base), shape_of<T[1]>());
  }
  return error;
}

// Stands, in checked programs, where the program has cast the first argument to void**: by the
// translator. `->*` binds as a cast does.
struct PointerToAllocate {
  template <class T>
  constexpr T** operator->*(T** pointer) const {
    return pointer;
  }
  template <class Other>
  void** operator->*(Other other) const {
    return (void**)(other);
  }
};

}  // namespace simt

template <class T>
[[gnu::always_inline]] inline cudaError_t cudaMalloc(T** pointer, size_t size) {
  return simt::with_shape(cudaMalloc((void**)(pointer), size), pointer);
}
template <class T>
cudaError_t cudaMallocPitch(T** pointer, size_t* pitch, size_t width, size_t height) {
  return cudaMallocPitch((void**)(pointer), pitch, width, height);
}
template <class T>
[[gnu::always_inline]] inline cudaError_t cudaMallocManaged(
    T** pointer, size_t size, unsigned int flags = cudaMemAttachGlobal) {
  return simt::with_shape(cudaMallocManaged((void**)(pointer), size, flags), pointer);
}
template <class T>
[[gnu::always_inline]] inline cudaError_t cudaMallocHost(
    T** pointer, size_t size, unsigned int flags = cudaHostAllocDefault) {
  return simt::with_shape(cudaHostAlloc((void**)(pointer), size, flags), pointer);
}
inline cudaError_t cudaMallocHost(void** pointer, size_t size, unsigned int flags) {
  return cudaHostAlloc(pointer, size, flags);
}
template <class T>
[[gnu::always_inline]] inline cudaError_t cudaHostAlloc(T** pointer, size_t size,
                                                        unsigned int flags) {
  return simt::with_shape(cudaHostAlloc((void**)(pointer), size, flags), pointer);
}
template <class T>
cudaError_t cudaHostGetDevicePointer(T** device, void* host, unsigned int flags) {
  return cudaHostGetDevicePointer((void**)(device), host, flags);
}
template <class T>
[[gnu::always_inline]] inline cudaError_t cudaMallocAsync(T** pointer, size_t size,
                                                          cudaStream_t stream) {
  return simt::with_shape(cudaMallocAsync((void**)(pointer), size, stream), pointer);
}
template <class T>
[[gnu::always_inline]] inline cudaError_t cudaMallocAsync(T** pointer, size_t size,
                                                          cudaMemPool_t pool, cudaStream_t stream) {
  return simt::with_shape(cudaMallocFromPoolAsync((void**)(pointer), size, pool, stream), pointer);
}
inline cudaError_t cudaMallocAsync(void** pointer, size_t size, cudaMemPool_t pool,
                                   cudaStream_t stream) {
  return cudaMallocFromPoolAsync(pointer, size, pool, stream);
}
template <class T>
[[gnu::always_inline]] inline cudaError_t cudaMallocFromPoolAsync(T** pointer, size_t size,
                                                                  cudaMemPool_t pool,
                                                                  cudaStream_t stream) {
  return simt::with_shape(cudaMallocFromPoolAsync((void**)(pointer), size, pool, stream), pointer);
}
template <class T>
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T* pointer, size_t length = 0,
                                     unsigned int flags = cudaMemAttachSingle) {
  return cudaStreamAttachMemAsync(stream, static_cast<void*>(pointer), length, flags);
}

template <class T>
cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* src, size_t count, size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return cudaMemcpyToSymbol(simt::symbol_address(symbol), src, count, offset, kind);
}
template <class T>
cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* src, size_t count,
                                    size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                                    cudaStream_t stream = nullptr) {
  return cudaMemcpyToSymbolAsync(simt::symbol_address(symbol), src, count, offset, kind, stream);
}
template <class T>
cudaError_t cudaMemcpyFromSymbol(void* dst, const T& symbol, size_t count, size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return cudaMemcpyFromSymbol(dst, simt::symbol_address(symbol), count, offset, kind);
}
template <class T>
cudaError_t cudaMemcpyFromSymbolAsync(void* dst, const T& symbol, size_t count, size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                                      cudaStream_t stream = nullptr) {
  return cudaMemcpyFromSymbolAsync(dst, simt::symbol_address(symbol), count, offset, kind, stream);
}
template <class T>
cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                           const cudaGraphNode_t* after, size_t dependencies,
                                           const T& symbol, const void* src, size_t count,
                                           size_t offset, cudaMemcpyKind kind) {
  return cudaGraphAddMemcpyNodeToSymbol(node, graph, after, dependencies,
                                        simt::symbol_address(symbol), src, count, offset, kind);
}
template <class T>
cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                             const cudaGraphNode_t* after, size_t dependencies,
                                             void* dst, const T& symbol, size_t count,
                                             size_t offset, cudaMemcpyKind kind) {
  return cudaGraphAddMemcpyNodeFromSymbol(node, graph, after, dependencies, dst,
                                          simt::symbol_address(symbol), count, offset, kind);
}
template <class T>
cudaError_t cudaGetSymbolAddress(void** pointer, const T& symbol) {
  return cudaGetSymbolAddress(pointer, simt::symbol_address(symbol));
}
template <class T, class S>
cudaError_t cudaGetSymbolAddress(T** pointer, const S& symbol) {
  return cudaGetSymbolAddress((void**)(pointer), simt::symbol_address(symbol));
}
template <class T>
cudaError_t cudaGetSymbolSize(size_t* size, const T& symbol) {
  return cudaGetSymbolSize(size, simt::symbol_address(symbol));
}

template <class T>
cudaError_t cudaFuncSetAttribute(T* kernel, cudaFuncAttribute attr, int value) {
  return cudaFuncSetAttribute(static_cast<const void*>(simt::kernel_handle(kernel)), attr, value);
}
template <class T>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, T* kernel) {
  return cudaFuncGetAttributes(attributes, static_cast<const void*>(simt::kernel_handle(kernel)));
}
template <class T>
cudaError_t cudaFuncSetCacheConfig(T* kernel, cudaFuncCache config) {
  return cudaFuncSetCacheConfig(reinterpret_cast<const void*>(kernel), config);
}
template <class T>
cudaError_t cudaFuncSetSharedMemConfig(T* kernel, cudaSharedMemConfig config) {
  return cudaFuncSetSharedMemConfig(reinterpret_cast<const void*>(kernel), config);
}
template <class T>
cudaError_t cudaFuncGetName(const char** name, T* kernel) {
  return cudaFuncGetName(name, reinterpret_cast<const void*>(kernel));
}

template <class T>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, T kernel, int block_size,
                                                          size_t dynamic_shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      blocks, reinterpret_cast<const void*>(kernel), block_size, dynamic_shared);
}
template <class T>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, T kernel,
                                                                   int block_size,
                                                                   size_t dynamic_shared,
                                                                   unsigned int flags) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      blocks, reinterpret_cast<const void*>(kernel), block_size, dynamic_shared, flags);
}
template <class T>
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* dynamic_shared, T* kernel, int blocks,
                                                      int block_size) {
  return cudaOccupancyAvailableDynamicSMemPerBlock(
      dynamic_shared, reinterpret_cast<const void*>(kernel), blocks, block_size);
}
template <class T>
cudaError_t cudaOccupancyMaxPotentialClusterSize(int* cluster_size, T* kernel,
                                                 const cudaLaunchConfig_t* config) {
  return cudaOccupancyMaxPotentialClusterSize(cluster_size, reinterpret_cast<const void*>(kernel),
                                              config);
}
template <class T>
cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, T* kernel,
                                           const cudaLaunchConfig_t* config) {
  return cudaOccupancyMaxActiveClusters(clusters, reinterpret_cast<const void*>(kernel), config);
}

// The block size with the most resident threads, among multiples of a warp; the larger block wins a
// tie, as on a GPU. shared_of(block_size) is the dynamic shared memory a block of that size takes.
template <class F, class T>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int* min_grid_size,
                                                                    int* block_size, T kernel,
                                                                    F shared_of,
                                                                    int block_size_limit = 0,
                                                                    unsigned int flags = 0) {
  if (!min_grid_size || !block_size || !kernel) return cudaErrorInvalidValue;
  cudaFuncAttributes attributes;
  int multiprocessors = 0, warp = 0, max_threads = 0;
  cudaError_t error = cudaFuncGetAttributes(&attributes, kernel);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
  if (error == cudaSuccess) error = cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, 0);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&max_threads, cudaDevAttrMaxThreadsPerMultiProcessor, 0);
  if (error != cudaSuccess) return error;

  int limit = attributes.maxThreadsPerBlock;
  if (block_size_limit > 0 && block_size_limit < limit) limit = block_size_limit;
  int best_threads = 0, best_size = 0, best_blocks = 0;
  const int rounded = (limit + warp - 1) / warp * warp;
  for (int size = rounded; size > 0; size -= warp) {
    const int threads = size < limit ? size : limit;
    int blocks = 0;
    error = cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, kernel, threads,
                                                                   shared_of(threads), flags);
    if (error != cudaSuccess) return error;
    if (threads * blocks > best_threads) {
      best_threads = threads * blocks;
      best_size = threads;
      best_blocks = blocks;
    }
    if (best_threads == max_threads) break;
  }
  *min_grid_size = best_blocks * multiprocessors;
  *block_size = best_size;
  return cudaSuccess;
}
template <class F, class T>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* min_grid_size, int* block_size,
                                                           T kernel, F shared_of,
                                                           int block_size_limit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(min_grid_size, block_size, kernel,
                                                                 shared_of, block_size_limit);
}
template <class T>
cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int* min_grid_size, int* block_size,
                                                        T kernel, size_t dynamic_shared = 0,
                                                        int block_size_limit = 0,
                                                        unsigned int flags = 0) {
  return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
      min_grid_size, block_size, kernel, [dynamic_shared](int) { return dynamic_shared; },
      block_size_limit, flags);
}
template <class T>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* min_grid_size, int* block_size, T kernel,
                                               size_t dynamic_shared = 0,
                                               int block_size_limit = 0) {
  return cudaOccupancyMaxPotentialBlockSizeWithFlags(min_grid_size, block_size, kernel,
                                                     dynamic_shared, block_size_limit);
}
