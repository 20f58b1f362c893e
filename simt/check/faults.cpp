#include "faults.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>

#include "faults/report.h"
#include "scheduler/cluster.h"
#include "scheduler/grid.h"
#include "source_location.h"

namespace simt::check {

std::string bytes_text(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " byte" : " bytes");
}

std::string allocation_text(const Region& region) {
  if (region.object != nullptr) {
    const std::string name = allocated_name(location_of(region.allocated_by.in_program()));
    return std::string("the ") + region.object + (name.empty() ? "" : " '" + name + "'");
  }
  return "the " + std::to_string(region.end() - region.start()) + "-byte allocation";
}

std::string place_in(const Region& region, const Access& access) {
  return place_in_allocation(access.address - region.start(), access.size, region.shape);
}

std::uint64_t rank_of(const Block& block) {
  return block_index() << 10 | rank_of_running(block);
}

std::string who_text(const Block& block, std::uint32_t index, unsigned thread) {
  const dim3& size = block.grid->config.grid;
  const uint3 at{index % size.x, index / size.x % size.y, index / size.x / size.y};
  return "thread " + describe(index_of_thread(thread)) + " of block " + describe(at);
}

Finding finding_here(FindingKind kind, const void* pc) {
  const Block& block = current_block();
  Finding f;
  f.kind = kind;
  f.pc = pc;
  f.rank = rank_of(block);
  f.block = blockIdx;
  f.thread = index_of_thread(rank_of_running(block));
  f.who = "by thread " + describe(f.thread) + " of block " + describe(f.block);
  f.kernel = name_of(*block.grid);
  return f;
}

namespace {

// The access must not happen: the grid ends here.
[[noreturn]] void stop(cudaError_t error = cudaErrorIllegalAddress) {
  Block& block = current_block();
  block.grid->record_fault(error, "");
  block.leave();
}

// Reports and ends the grid. Whatever the caller has made must have no destructors left to run.
[[noreturn, gnu::noinline, gnu::cold]] void end_with(Finding* finding,
                                                     cudaError_t error = cudaErrorIllegalAddress) {
  add(std::move(*finding));
  delete finding;
  stop(error);
}

// Of an access in a function of a library that was not inlined: the call of it in the program.
const void* in_program(const void* pc) {
  if (is_in_program(pc)) return pc;
  const void* const call = CallStack::here().in_program();
  return is_in_program(call) ? call : pc;
}

Finding* bad_access(FindingKind kind, std::string what, const void* pc) {
  auto* f = new Finding(finding_here(kind, in_program(pc)));
  f->what = std::move(what);
  return f;
}

std::string access_text(const Access& access) {
  return (access.write ? "write of " : "read of ") + bytes_text(access.size);
}

Finding* about_region(Finding* f, const Region& region, const Access& access) {
  tell_region(*f, region, access.address, access.size);
  return f;
}

Finding* before_start(const Region& region, const Access& access) {
  return about_region(
      bad_access("out of bounds",
                 access_text(access) + ", " + bytes_text(region.start() - access.address) +
                     " before the start of " + allocation_text(region),
                 access.pc),
      region, access);
}

Finding* bad_region(const Region* region, const Access& access) {
  if (region != nullptr && !region->freed && access.address < region->start()) {
    return before_start(*region, access);
  }
  // In front of a block it is rather that block's than the one's before, which may be far away.
  const Region* const next = region_before(access.address + 512);
  const bool in_front =
      next != nullptr && next != region && !next->freed &&
      (region == nullptr || next->base - access.address <= access.address - region->end());
  if (in_front && !(region != nullptr && access.address < region->end())) {
    return before_start(*next, access);
  }
  if (region == nullptr) {
    return bad_access("out of bounds", access_text(access) + " in no allocation of device memory",
                      access.pc);
  }
  if (region->freed && access.address < region->end() && region->object != nullptr) {
    return about_region(
        bad_access("use after free", "use of " + allocation_text(*region), access.pc), *region,
        access);
  }
  if (region->freed && access.address < region->end()) {
    return about_region(bad_access("use after free",
                                   access_text(access) + " at byte " +
                                       std::to_string(access.address - region->base) + " of " +
                                       allocation_text(*region),
                                   access.pc),
                        *region, access);
  }
  const std::string past =
      access.address < region->end() ? ", across the end of "
      : access.address == region->end()
          ? ", right past the end of "
          : ", " + bytes_text(access.address - region->end()) + " past the end of ";
  return about_region(
      bad_access("out of bounds", access_text(access) + past + allocation_text(*region), access.pc),
      *region, access);
}

bool is_dynamic(std::size_t offset) {
  return offset >= arena_static_room && offset < arena_file_begin;
}

// The last variable that does not begin behind the offset.
const SharedPlace* shared_place(const Block& block, std::size_t offset) {
  BlockState& state = state_of(block);
  if (offset >= arena_file_begin && state.file_places_end != file_shared_used()) {
    state.file_places = file_places();
    state.file_places_end = file_shared_used();
  }
  if (state.places_end != block.grid->static_used.load(std::memory_order_relaxed)) {
    const std::lock_guard lock(block.grid->mutex);
    state.places = block.grid->places;
    state.places_end = block.grid->static_used.load(std::memory_order_relaxed);
  }
  const SharedPlace* found = nullptr;
  for (const SharedPlace& place : offset >= arena_file_begin ? state.file_places : state.places) {
    if (place.offset > offset) break;
    found = &place;
  }
  return found;
}

Finding* bad_shared(const Block& block, std::size_t offset, const Access& access) {
  const std::string what = access_text(access);
  if (is_dynamic(offset)) {
    Finding* const f = bad_access(
        "out of bounds",
        what + " at " + element("dynamic shared memory", offset - arena_static_room, access.size) +
            ", of which the launch gave " + bytes_text(block.grid->config.dynamic_shared),
        access.pc);
    f->tail = "the third value of <<<blocks, threads, bytes>>> is how much there is of it";
    return f;
  }
  const SharedPlace* const place = shared_place(block, offset);
  if (place == nullptr) {
    return bad_access("out of bounds", what + " before the first shared variable", access.pc);
  }
  const SharedVar& variable = *place->variable;
  return bad_access(
      "out of bounds",
      what + " at " +
          element(variable.name(), offset - place->offset, access.size, variable.shape()) +
          ", past the end of shared '" + variable.name() + "' of " + bytes_text(variable.size()) +
          " (" + std::to_string(variable.size() / access.size) + " elements of this size)",
      access.pc);
}

}  // namespace

std::string shared_name(const Block& block, std::size_t offset, std::size_t size) {
  if (is_dynamic(offset)) {
    return element("dynamic shared memory", offset - arena_static_room, size);
  }
  const SharedPlace* const place = shared_place(block, offset);
  if (place == nullptr || offset - place->offset >= place->variable->size()) return "shared memory";
  return element(place->variable->name(), offset - place->offset,
                 std::min(size, place->variable->size()), place->variable->shape());
}

const Block* shared_owner(const Block& here, Address address) {
  if (state_of(here).shared.holds(address)) return &here;
  if (here.cluster == nullptr) return nullptr;
  for (unsigned rank = 0; rank < here.cluster->count(); ++rank) {
    const Block& block = here.cluster->block(rank);
    if (arena_holds(block, reinterpret_cast<const void*>(address))) return &block;
  }
  return nullptr;
}

void note_remote(const Block& here, const Block& owner, const Access& access) {
  BlockState& theirs = state_of(owner);
  const BlockState& state = state_of(here);
  if (theirs.ended && enabled.memory) {
    end_with(bad_access("use after exit",
                        access_text(access) + " at " +
                            shared_name(owner, access.address - theirs.shared.begin, access.size) +
                            " in the shared memory of block " + std::to_string(owner.cluster_rank) +
                            " of the cluster, which has ended",
                        access.pc));
  }
  theirs.remote_place = reinterpret_cast<std::uint64_t>(access.pc) << 17 | state.whose;
  theirs.remote_stamp = stamp_here(state, rank_of_running(here), 15u);
}

void check_remote(const Block& block) {
  const BlockState& state = state_of(block);
  const Note last{state.remote_stamp, state.remote_place};
  if (!enabled.memory || last.stamp < state.grid_floor) return;
  for (unsigned thread = 0; thread < block.thread_count; thread += 32) {
    if (ordered(last, state, thread)) return;
  }
  Finding f;
  f.kind = "use after exit";
  f.pc = last.pc();
  f.what = "an access to the shared memory of block " + std::to_string(block.cluster_rank) +
           " of the cluster, which may have ended by then";
  f.who = "by " + who_text(block, last.block(), last.thread());
  f.tail = "a cluster barrier must keep the block until the others are done with its memory";
  f.kernel = name_of(*block.grid);
  f.rank = block_index() << 10;
  add(std::move(f));
}

void check_shared_bounds(const Block& block, const Access& access) {
  const std::size_t offset = access.address - state_of(block).shared.begin;
  if (is_dynamic(offset)) {
    if (offset - arena_static_room + access.size <= block.grid->config.dynamic_shared) return;
  } else if (const SharedPlace* const place = shared_place(block, offset)) {
    if (offset - place->offset + access.size <= place->variable->size()) return;
  }
  end_with(bad_shared(block, offset, access));
}

void mark_inside(const Block& block, Address address) {
  const Area& area = state_of(block).shared;
  const std::size_t offset = address - area.begin;
  std::size_t from = arena_static_room;
  std::size_t size = block.grid->config.dynamic_shared;
  if (!is_dynamic(offset)) {
    const SharedPlace* const place = shared_place(block, offset);
    if (place == nullptr) return;
    from = place->offset;
    size = place->variable->size();
  }
  if (offset - from >= size) return;
  unsigned char* const marks = area.marks + from;
  std::replace(marks, marks + size, static_cast<unsigned char>(unknown),
               static_cast<unsigned char>(inside));
}

Region* region_of(const Access& access) {
  Region* region = region_before(access.address);
  if (region == nullptr || access.address >= region->end()) {
    // Allocated before the checks were loaded.
    const auto found = find_allocation(access.pointer());
    if (found) region = adopt(*found);
  }
  const bool fits = region != nullptr && !region->freed && access.address >= region->start() &&
                    access.address + access.size <= region->end();
  if (fits) return region;
  if (enabled.memory) end_with(bad_region(region, access));
  return nullptr;
}

bool look_at_variable(const Area& area, const Access& access) {
  const Variable* const variable = variable_near(access.address);
  // Other data of the module; its marks stay as they are, so that it takes part in no race.
  if (variable == nullptr) {
    if (enabled.memory && is_host_data(current_block(), access.address)) {
      check_other_memory(current_block(), access);
    }
    return false;
  }
  const Address end = variable->base + variable->size;
  if (access.address >= variable->base && access.address + access.size <= end) {
    area.set(variable->base, variable->size, good);
    return true;
  }
  if (!enabled.memory) return false;
  const bool before = access.address < variable->base;
  const std::string name = variable->name;
  end_with(bad_access(
      "out of bounds",
      access_text(access) +
          (before
               ? ", " + bytes_text(variable->base - access.address) + " before the start of '"
               : " at " +
                     element(name, access.address - variable->base, access.size, variable->shape) +
                     ", past the end of '") +
          name + "' of " + bytes_text(variable->size),
      access.pc));
}

void uninitialised(const Access& access, const Region* region) {
  const FindingKind kind = "uninitialised";
  const Block& block = current_block();
  if (!is_news(kind, access.pc, nullptr, rank_of(block))) return;
  Finding f = finding_here(kind, access.pc);
  f.what = access_text(access) + " that nobody wrote, ";
  if (region != nullptr) {
    f.what += place_in(*region, access) + " of " + allocation_text(*region);
    about_region(&f, *region, access);
  } else {
    const Block& owner = *shared_owner(block, access.address);
    f.what += shared_name(owner, access.address - state_of(owner).shared.begin, access.size) +
              " in shared memory";
  }
  if (access.write) f.what.replace(0, 5, "read");  // an atomic operation reads first
  add(std::move(f));
}

void too_early(const Access& access) {
  const Block& block = *shared_owner(current_block(), access.address);
  Finding f = finding_here("race", access.pc);
  f.what = access_text(access) + " at " +
           shared_name(block, access.address - state_of(block).shared.begin, access.size) +
           ", into which an asynchronous copy is under way";
  f.tail = "nobody has waited for the copy yet";
  add(std::move(f));
}

void misaligned(std::string what, std::string tail, const Region* region, const void* pc) {
  Finding* const f = bad_access("misaligned", std::move(what), pc);
  f->tail = std::move(tail);
  if (region != nullptr) tell_region(*f, *region, region->base, 0);
  end_with(f, cudaErrorMisalignedAddress);
}

void misaligned(const Access& access) {
  if (!enabled.memory) return;
  end_with(bad_access("misaligned",
                      access_text(access) + " at " + hexadecimal(access.address) +
                          ", which is no multiple of " + std::to_string(access.size),
                      access.pc),
           cudaErrorMisalignedAddress);
}

void dead_stack(const Access& access) {
  if (!enabled.memory) return;
  end_with(bad_access("out of bounds",
                      access_text(access) + " in local memory below the thread's stack: in no "
                                            "variable that lives",
                      access.pc));
}

void bad_index(const char* type, long long index, const void* pc) {
  if (!enabled.memory) return;
  std::string what = "index " + std::to_string(index) + " of an array of type " + type;
  // "'float [3][33]'": the index is that of the first of them.
  const std::string_view name = type;
  const std::size_t length = name.find('[');
  const long long count = length != name.npos ? std::atoll(type + length + 1) : 0;
  if (count > 0) what += ", whose last is " + std::to_string(count - 1);
  end_with(bad_access("out of bounds", std::move(what), pc));
}

void bad_object(const Access& access) {
  if (!enabled.memory) return;
  const Variable* const variable = variable_near(access.address);
  std::string what = access_text(access) + " past the end of ";
  what += variable == nullptr
              ? "the variable that its pointer comes from"
              : "'" + std::string(variable->name) + "' of " + bytes_text(variable->size);
  end_with(bad_access("out of bounds", std::move(what), access.pc));
}

}  // namespace simt::check
