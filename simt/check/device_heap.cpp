// malloc, free, new and delete inside a kernel. The driver links checked programs with --wrap, so
// that their own calls come here; the host's go on to the C library's.

#include <cstdlib>
#include <new>

#include "access.h"
#include "api/internal.h"
#include "faults.h"
#include "findings.h"
#include "hooks.h"

namespace simt::check {
namespace {

void* take(std::size_t size, const void* caller) {
  if (heap_area.size == 0) make_heap_area();
  if (size == 0) size = 1;
  void* const memory = api::heap_allocate(size);
  if (memory == nullptr) return nullptr;
  allocated(memory, size, MemoryKind::device, caller);
  // Other threads of the grid may have had this memory before: that was another allocation.
  if (heap_area.cells != nullptr) {
    const std::size_t first = (reinterpret_cast<Address>(memory) - heap_area.begin) / 4;
    std::memset(heap_area.cells + first, 0, (size + 3) / 4 * sizeof(Cell));
  }
  return memory;
}

void give(void* pointer, const char* function, const void* caller) {
  if (pointer == nullptr) return;
  const auto address = reinterpret_cast<Address>(pointer);
  const Region* const region = region_before(address);
  // Allocations that cudaFree may free are known to the API; these are not.
  const bool known = region != nullptr && region->base == address && !region->freed &&
                     !find_allocation(pointer).has_value();
  if (!known) return bad_free(pointer, caller, function);
  settle_writes(self());
  const std::size_t size = region->size;
  if (!freed(pointer, size, caller)) api::heap_free(pointer, size);
}

bool is_device(const void* pointer) {
  return front != nullptr || heap_area.holds(reinterpret_cast<Address>(pointer));
}

}  // namespace
}  // namespace simt::check

#define HERE __builtin_return_address(0)
#define SIMT_GIVE(NAME, CALL, ...)                                                    \
  if (simt::check::is_device(pointer)) return simt::check::give(pointer, NAME, HERE); \
  CALL(pointer __VA_OPT__(, ) __VA_ARGS__)

extern "C" {

using simt::check::take;

void* __wrap_malloc(std::size_t size) {
  return simt::front == nullptr ? std::malloc(size) : take(size, HERE);
}
void __wrap_free(void* pointer) {
  SIMT_GIVE("free", std::free);
}

// new and new[], as the compiler names them; then with an alignment, which device memory has.
void* __wrap__Znwm(std::size_t size) {
  return simt::front == nullptr ? ::operator new(size) : take(size, HERE);
}
void* __wrap__Znam(std::size_t size) {
  return simt::front == nullptr ? ::operator new[](size) : take(size, HERE);
}
void* __wrap__ZnwmSt11align_val_t(std::size_t size, std::align_val_t to) {
  return simt::front == nullptr ? ::operator new(size, to) : take(size, HERE);
}
void* __wrap__ZnamSt11align_val_t(std::size_t size, std::align_val_t to) {
  return simt::front == nullptr ? ::operator new[](size, to) : take(size, HERE);
}

void __wrap__ZdlPv(void* pointer) {
  SIMT_GIVE("delete", ::operator delete);
}
void __wrap__ZdlPvm(void* pointer, std::size_t size) {
  SIMT_GIVE("delete", ::operator delete, size);
}
void __wrap__ZdaPv(void* pointer) {
  SIMT_GIVE("delete[]", ::operator delete[]);
}
void __wrap__ZdaPvm(void* pointer, std::size_t size) {
  SIMT_GIVE("delete[]", ::operator delete[], size);
}
void __wrap__ZdlPvSt11align_val_t(void* pointer, std::align_val_t to) {
  SIMT_GIVE("delete", ::operator delete, to);
}
void __wrap__ZdlPvmSt11align_val_t(void* pointer, std::size_t size, std::align_val_t to) {
  SIMT_GIVE("delete", ::operator delete, size, to);
}
void __wrap__ZdaPvSt11align_val_t(void* pointer, std::align_val_t to) {
  SIMT_GIVE("delete[]", ::operator delete[], to);
}
void __wrap__ZdaPvmSt11align_val_t(void* pointer, std::size_t size, std::align_val_t to) {
  SIMT_GIVE("delete[]", ::operator delete[], size, to);
}

}  // extern "C"
