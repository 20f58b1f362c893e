#pragma once

// Which memory a pointer belongs to: the registry behind the API's checks and the later ones.

#include <cstddef>
#include <cstdint>
#include <optional>

namespace simt {

enum class MemoryKind {
  device,      // cudaMalloc and its relatives
  managed,     // cudaMallocManaged
  pinned,      // cudaMallocHost, cudaHostAlloc
  registered,  // the program's own memory after cudaHostRegister
  symbol       // a __device__ or __constant__ variable the API has been asked about
};

struct Allocation {
  std::uintptr_t base = 0;
  std::size_t size = 0;
  MemoryKind kind = MemoryKind::device;
  unsigned flags = 0;  // as given to cudaHostAlloc, cudaHostRegister, cudaMallocManaged
  static constexpr unsigned mapped = 1u << 31;  // by cuMemMap: may go on in the one behind it
  std::uint64_t serial = 0;  // counts up, so that two allocations at one address can be told apart

  std::uintptr_t end() const { return base + size; }
};

// The allocation that holds this address, if any.
std::optional<Allocation> find_allocation(const void* pointer);

// Called by libraries on the host (cuBLAS and the like) that are about to write device memory: the
// checks of `--check` do not see them do it.
void library_writes();

// True for every address of the range device memory is taken from, allocated or not: one compare.
bool is_device_range(const void* pointer);

}  // namespace simt
