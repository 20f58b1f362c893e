#pragma once

// What the files of the API share.

#include <cuda_runtime_api.h>
#include <simt/allocation.h>
#include <simt/api_templates.h>
#include <simt/errors.h>

#include <string>

namespace simt::api {

// Remembers a failed call as this thread's last error and hands the code through. The reason says in
// words what is wrong, where the code alone does not.
cudaError_t record(cudaError_t error, const std::string& reason = "");
// The same for a call that was to give memory.
cudaError_t record_unallocated(cudaError_t error, const char* call, const std::string& reason = "");

// The fault of an earlier kernel, once a synchronising call has seen it. Calls that do not wait for
// the device begin with this.
cudaError_t device_state();

// Waits for the device, as far as the program can tell: writes what kernels printed, and from here
// on a kernel's fault is visible.
cudaError_t synchronise();

// Whether the program asked for reports instead of their print (simt_keep_reports).
bool reports_are_kept();

// cudaDeviceReset's share of each part.
void forget_fault();
void forget_streams();
void forget_functions();
void free_everything();

// Registry of allocations (allocation_registry.cpp).
void add_allocation(const void* base, std::size_t size, MemoryKind kind, unsigned flags);
std::optional<Allocation> allocation_at(const void* base);  // only if it begins there
std::optional<Allocation> take_allocation(const void* base, bool (*wanted)(MemoryKind));

// Whether the address is data of the program or of a library, as variables of the device are.
bool is_module_data(const void* pointer, bool writable);
// Whether it points into the code of the program or of one of its libraries.
bool is_code(const void* pointer);

// Device memory for simt's own use, which the program knows nothing of; cudaFree frees it.
cudaError_t allocate_own(void** pointer, std::size_t size);

// Arrays (texture.cpp).
cudaPitchedPtr memory_of(const cudaArray* array);
std::size_t texel_size(const cudaArray* array);

// Device memory (heap.cpp). Null when there is none left.
void* heap_allocate(std::size_t size);
void heap_free(void* pointer, std::size_t size);
void heap_reset();
// Addresses of device memory without any memory behind them: a multiple of a GPU's pages.
void* heap_reserve(std::size_t size);
void heap_unreserve(void* pointer, std::size_t size);
std::size_t heap_total();
std::pair<std::uintptr_t, std::uintptr_t> heap_range();
std::size_t heap_used();

// The legacy, the per-thread and every living stream.
bool is_stream(cudaStream_t stream);

}  // namespace simt::api
