// Surfaces: x of their functions counts bytes.

#include "faults.h"
#include "hooks.h"

namespace simt::check {

void misaligned_surface(const void* object, int x, std::size_t bytes, bool write, const void* pc) {
  if (!enabled.memory) return;
  const Region* const region = region_before(reinterpret_cast<Address>(object));
  const bool known = region != nullptr && reinterpret_cast<Address>(object) < region->end();
  if (known && region->freed) return;  // the use of the object is reported
  const std::string size = std::to_string(bytes);
  misaligned(
      (write ? "write of " : "read of ") + bytes_text(bytes) + " at x = " + std::to_string(x) +
          ", which is no multiple of " + size + ", of " +
          (known ? allocation_text(*region) : "a surface"),
      "x of the surface functions counts bytes: the column times the size of an element, here " +
          size,
      known ? region : nullptr, pc);
}

}  // namespace simt::check
