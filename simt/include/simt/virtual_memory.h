#pragma once

// Addresses and memory apart: what the driver API's cuMemAddressReserve, cuMemCreate, cuMemMap and
// their relatives are made of. Memory is a file without a name, so that it can lie at several
// addresses and be handed to another process as a descriptor.

#include <driver_types.h>

#include <cstddef>

namespace simt::virtual_memory {

inline constexpr std::size_t granularity = 2 << 20;  // as on a GPU

cudaError_t reserve(void** base, std::size_t size, std::size_t alignment);
cudaError_t release(void* base, std::size_t size);
cudaError_t create(unsigned long long* handle, std::size_t size);
cudaError_t drop(unsigned long long handle);
cudaError_t map(void* base, std::size_t size, std::size_t offset, unsigned long long handle);
cudaError_t unmap(void* base, std::size_t size);
cudaError_t allow(void* base, std::size_t size, bool read, bool write);
// What a descriptor of a mapped address may do: bit 0 to read, bit 1 to write.
cudaError_t access_of(unsigned long long* flags, const void* address);
cudaError_t export_descriptor(int* descriptor, unsigned long long handle);
cudaError_t import_descriptor(unsigned long long* handle, int descriptor);
// One more owner of the memory that lies at an address.
cudaError_t retain(unsigned long long* handle, const void* address);

}  // namespace simt::virtual_memory
