// What bulk copies check before they begin, with the errors that a Hopper GPU gives.

#include <simt/fault.h>
#include <simt/shared.h>

#include <cstring>

#include "async/bulk_state.h"
#include "faults/report.h"
#include "scheduler/shared_arena.h"

namespace simt::bulk {

[[gnu::cold, gnu::noinline]] void bad(cudaError_t error, const std::string& what, Site site) {
  fault(error, what, site);
}

void check_aligned(const void* pointer, std::size_t to, const char* what, Site site) {
  if (reinterpret_cast<std::uintptr_t>(pointer) % to == 0) return;
  bad(cudaErrorMisalignedAddress,
      std::string("a bulk copy: ") + what + " " +
          hexadecimal(reinterpret_cast<unsigned long long>(pointer)) + " is no multiple of " +
          std::to_string(to),
      site);
}

Block& shared_block(const void* pointer, const char* what, Site site) {
  if (!in_kernel()) host_misuse("a bulk copy", site);
  Block* const owner = current_block().shared_owner(pointer);
  if (owner == nullptr) {
    bad(cudaErrorInvalidAddressSpace,
        std::string("a bulk copy: ") + what + " " +
            hexadecimal(reinterpret_cast<unsigned long long>(pointer)) + " is not in shared memory",
        site);
  }
  return *owner;
}

TensorMap map_at(const void* pointer, const Coordinates* at, Site site) {
  TensorMap map;
  check_aligned(pointer, 64, "the tensor map", site);
  std::memcpy(&map, pointer, sizeof map);
  if (map.magic != map_magic) {
    bad(cudaErrorIllegalInstruction,
        "no tensor map at " + hexadecimal(reinterpret_cast<unsigned long long>(pointer)) +
            " (cuTensorMapEncodeTiled makes them)",
        site);
  }
  if (at != nullptr && at->count != map.rank) {
    bad(cudaErrorIllegalInstruction,
        "a copy of " + std::to_string(at->count) + " dimensions through a tensor map of " +
            std::to_string(map.rank),
        site);
  }
  return map;
}

// A box begins at a whole piece of 16 bytes of its rows: at any other element a Hopper ends the
// kernel with this error, loads, stores and reductions alike. A load may begin left of the tensor
// (or above, and so on); a store or a reduction may not: seen for the first two axes, CUDA's guide
// says it of all.
void check_start(const TensorMap& map, const Coordinates& at, bool stores, Site site) {
  const auto size = static_cast<std::int64_t>(element_size(map.element));
  if (at.at[0] * size % 16 != 0) {
    bad(cudaErrorIllegalInstruction,
        "a tensor copy: the box starts at element " + std::to_string(at.at[0]) +
            " of a row, which is not a multiple of 16 bytes (" + std::to_string(16 / size) +
            " elements)",
        site);
  }
  for (int axis = 0; stores && axis < at.count; ++axis) {
    if (at.at[axis] >= 0) continue;
    bad(cudaErrorIllegalInstruction,
        "a tensor store: the box starts at " + std::to_string(at.at[axis]) + " of axis " +
            std::to_string(axis) + "; only loads may start before the tensor",
        site);
  }
}

void check_own_shared(const void* from, Site site) {
  if (is_shared(from)) return;
  shared_block(from, "the source", site);
  bad(cudaErrorInvalidAddressSpace, "a bulk copy: the source is another block's shared memory",
      site);
}

Transfer transfer(Kind kind, char* shared, char* other, std::size_t size, Reduced how,
                  const void* pc) {
  return {kind, how, rank_of_running(current_block()), {}, {}, shared, other, size, pc, 0};
}

}  // namespace simt::bulk
