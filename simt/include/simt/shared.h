#pragma once

// Shared memory. The translator turns a function's
//   __shared__ T x[N];
// into
//   typedef T simt_type_x[N];
//   static ::simt::SharedVar simt_var_x{"x", sizeof(...), alignof(...), shape_of<...>()};
//   auto& x = *static_cast<simt_type_x*>(simt_var_x.address());
// and an `extern __shared__ T x[]` into a reference to the block's dynamic area. Constructors do
// not run, as on a GPU. A place is given the first time a grid reaches the declaration, so a
// variable has one offset in all blocks of a grid, and only what a grid really uses counts.

#include <simt/array_shape.h>
#include <simt/cluster.h>
#include <simt/self.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace simt {

class SharedVar {
 public:
  constexpr SharedVar(const char* name, std::size_t size, std::size_t alignment, ArrayShape shape)
      : name_(name), size_(size), alignment_(alignment), shape_(shape) {}

  SIMT_UNCOUNTED void* address() {
    const std::uint64_t place = place_.load(std::memory_order_relaxed);
    if (front == nullptr) return nullptr;
    if (static_cast<std::uint32_t>(place >> 32) == front->grid_generation) {
      return front->static_shared + static_cast<std::uint32_t>(place);
    }
    return find_place();
  }

  const char* name() const { return name_; }
  std::size_t size() const { return size_; }
  std::size_t alignment() const { return alignment_; }
  const ArrayShape& shape() const { return shape_; }

 private:
  void* find_place();  // asks the grid, then remembers the answer for this grid's generation

  const char* name_;
  std::size_t size_;
  std::size_t alignment_;
  ArrayShape shape_;
  std::atomic<std::uint64_t> place_{0};  // grid generation, offset
};

// Start of the block's dynamic shared memory, aligned to 1024 bytes.
inline void* dynamic_shared() {
  return front != nullptr ? front->dynamic_shared : nullptr;
}

// The same for a file-scope `extern __shared__`, which becomes a thread-local reference: an OS
// thread's (outermost) block always has its shared memory in the same place.
void* thread_dynamic_shared();
// And for a file-scope `__shared__` of a checked program, so that the checks know it as they know a
// function's. In others it is a thread-local variable, which costs less.
void* thread_file_shared(const SharedVar& variable);

constexpr std::size_t larger(std::size_t a, std::size_t b) {
  return a > b ? a : b;
}

inline constexpr std::size_t max_static_shared = 48 * 1024;
inline constexpr std::size_t max_block_shared = 227 * 1024;

// Shared addresses as the 32-bit numbers that PTX uses: an offset from the static area, for other
// blocks of the cluster as cluster_offset has it. Null and pointers to other memory have none.
std::size_t shared_offset(const void* pointer);
void* shared_pointer(std::size_t offset);
// In any block of the cluster: the block's rank, counted from 1, is in the bits from 24 on.
std::size_t cluster_offset(const void* pointer);
std::size_t dynamic_shared_size();
// What threads wrote is seen by copies and products that the hardware makes: fence.proxy.async, or
// fence.mbarrier_init (`init`), which is for barriers only.
void proxy_fence(bool init);
bool is_shared(const void* pointer);
bool is_local(const void* pointer);

}  // namespace simt

inline std::size_t __cvta_generic_to_shared(const void* pointer) {
  return simt::shared_offset(pointer);
}
inline void* __cvta_shared_to_generic(std::size_t offset) {
  return simt::shared_pointer(offset);
}
// On a CPU the generic address is the address in every other space.
inline std::size_t __cvta_generic_to_global(const void* pointer) {
  return reinterpret_cast<std::size_t>(pointer);
}
inline std::size_t __cvta_generic_to_local(const void* pointer) {
  return reinterpret_cast<std::size_t>(pointer);
}
inline std::size_t __cvta_generic_to_constant(const void* pointer) {
  return reinterpret_cast<std::size_t>(pointer);
}
inline void* __cvta_global_to_generic(std::size_t address) {
  return reinterpret_cast<void*>(address);
}
inline void* __cvta_local_to_generic(std::size_t address) {
  return reinterpret_cast<void*>(address);
}
inline void* __cvta_constant_to_generic(std::size_t address) {
  return reinterpret_cast<void*>(address);
}

inline unsigned __isShared(const void* pointer) {
  return simt::is_shared(pointer);
}
inline unsigned __isLocal(const void* pointer) {
  return simt::is_local(pointer);
}
inline unsigned __isGlobal(const void* pointer) {
  return pointer != nullptr && !simt::is_cluster_shared(pointer) && !simt::is_local(pointer);
}
// A __constant__ variable is an ordinary global here; nothing tells it apart.
inline unsigned __isConstant(const void*) {
  return 0;
}
inline unsigned __isGridConstant(const void*) {
  return 0;
}
