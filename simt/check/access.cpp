// The slow paths, which most accesses do not take.

#include "access.h"

#include <algorithm>

#include "element_names.h"
#include "faults.h"
#include "findings.h"
#include "races.h"
#include "reach.h"
#include "scheduler/worker.h"

namespace simt::check {

// One load, as of simt::front: see simt/self.h.
__thread Self* mine = nullptr;

namespace {

// What is read as a whole may have padding. No number of C++ that kernels have is 16 bytes wide, so that such a load is a
// structure's, except where the elements are smaller: a float array that is read as float4 has none. g++ makes it of
// { long long; int }, too, whose last bytes nobody writes.
bool is_whole(const Access& access, const Region* region) {
  constexpr std::size_t largest_number = 8;
  if (access.how != How::plain || access.size != 16) return access.how == How::copy;
  if (region == nullptr) return true;
  const std::size_t element = element_size(region->shape);
  return element == 0 || element > largest_number;
}

// What a copy touches of memory that was never written is often padding: something of it must have
// been written.
bool is_written(const unsigned char* marks, const Access& access, bool whole) {
  if (whole) return std::memchr(marks, good, access.size) != nullptr;
  return all_good(marks, access.size);
}

bool reads(const Access& access) {
  return !access.write || is_update(access.how);
}

void check_written(const Area& area, const Access& access, const Region* region) {
  unsigned char* const marks = area.mark(access.address);
  const bool whole = is_whole(access, region);
  if (enabled.init && reads(access) && !is_written(marks, access, whole)) {
    uninitialised(access, region);
  }
  if (enabled.init && !access.write && whole) return;  // padding stays unwritten
  std::memset(marks, good, access.size);               // once is enough
}

bool look_at_shared(const Block& owner, const Access& access) {
  if (enabled.memory) check_shared_bounds(owner, access);
  const Area& area = state_of(owner).shared;
  unsigned char* const marks = area.mark(access.address);
  // Once for a variable: dynamic shared memory can have 227 KiB.
  if (!area.crowded && *marks == unknown) mark_inside(owner, access.address);
  if (std::memchr(marks, pending, access.size) != nullptr) {
    if (enabled.race) too_early(access);
    std::replace(marks, marks + access.size, static_cast<unsigned char>(pending),
                 static_cast<unsigned char>(good));
  }
  check_written(area, access, nullptr);
  return true;
}

bool look_at_heap(const Access& access) {
  Region* const region = region_of(access);  // reports what is in none
  if (region == nullptr) return false;
  if (region->trusted || region->kind != MemoryKind::device) {
    // So that its neighbours need not come here one by one.
    const Address from = std::max(region->start(), access.address & ~Address{4095});
    const Address to = std::min(region->end(), access.address + access.size + 4096);
    heap_area.set(from, to - from, good);
    return true;
  }
  check_written(heap_area, access, region);
  return true;
}

}  // namespace

bool look_closer(const Area& area, const Access& access) {
  if (&area == &heap_area) return look_at_heap(access);
  if (const Block* owner = shared_owner(current_block(), access.address)) {
    return look_at_shared(*owner, access);
  }
  return look_at_variable(area, access);
}

void general_access(const Access& access) {
  if (front == nullptr) return host_access(access);
  if (records_sites) note_site(access.pc);
  Block& block = current_block();
  BlockState& state = state_of(block);
  if (is_update(access.how) || (access.how == How::volatile_ && !access.write)) note_acquire();
  const Area* area = nullptr;
  if (state.shared.holds(access.address)) {
    area = &state.shared;
  } else if (heap_area.holds(access.address)) {
    area = &heap_area;
  } else {
    const Fiber& fiber = *block.running;
    if (access.pointer() >= fiber.stack_low && access.pointer() < fiber.stack_high) return;
    if (block.splitting && is_split_memory(block, access.address)) return;
    return elsewhere(block, access);
  }
  state.seen = true;
  settle_writes(self());
  if (!all_good(area->mark(access.address), access.size) && !look_closer(*area, access)) return;
  if (enabled.race) meet_cells(*area, access);
}

void elsewhere(Block& block, const Access& access) {
  if (is_thread_local(access.address)) return;
  Self& me = self();
  const Area* area = me.module;
  if (area == nullptr || !area->holds(access.address)) {
    area = module_area(access.address);
    if (area != nullptr) {
      me.module = area;
    } else if (const Block* owner = shared_owner(block, access.address)) {
      note_remote(block, *owner, access);
      area = &state_of(*owner).shared;
    } else {
      if (enabled.memory) check_other_memory(block, access);
      return;
    }
  }
  state_of(block).seen = true;
  settle_writes(me);
  if (!all_good(area->mark(access.address), access.size) && !look_closer(*area, access)) return;
  if (enabled.race) meet_cells(*area, access);
}

}  // namespace simt::check
