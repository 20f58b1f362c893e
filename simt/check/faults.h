#pragma once

// Accesses that must not happen, and reads of what nobody wrote: how they are recognised and
// reported.

#include <string>

#include "access.h"
#include "element_names.h"
#include "findings.h"

namespace simt::check {

// A finding by the running thread.
Finding finding_here(FindingKind kind, const void* pc);
std::uint64_t rank_of(const Block& block);
std::string who_text(const Block& block, std::uint32_t index, unsigned thread);

std::string bytes_text(std::size_t count);
// "the 1024-byte allocation". (A block is a block of threads.)
std::string allocation_text(const Region& region);
// "element 3" of the allocation, where the access is.
std::string place_in(const Region& region, const Access& access);
// "s[3]" of an offset in shared memory.
std::string shared_name(const Block& block, std::size_t offset, std::size_t size);

// The block of this one's cluster in whose shared memory the address lies; null if there is none.
const Block* shared_owner(const Block& here, Address address);
// An access to another block's shared memory: that block must still be there.
void note_remote(const Block& here, const Block& owner, const Access& access);
// The running block ends: accesses to its shared memory from other blocks must have been ordered.
void check_remote(const Block& block);

void check_shared_bounds(const Block& block, const Access& access);
// Marks the shared variable that holds the address: writes to the rest of it need not look for it.
void mark_inside(const Block& block, Address address);
Region* region_of(const Access& access);
// Says which allocation a finding is about. `element`: bytes of the access, 0: the whole.
void tell_region(Finding& f, const Region& region, Address address, std::size_t element);
bool look_at_variable(const Area& area, const Access& access);
// Data of a module that the kernel got as an argument, and that is no variable of the device.
bool is_host_data(const Block& block, Address address);
void check_other_memory(Block& block, const Access& access);
// Reports and ends the grid.
[[noreturn]] void misaligned(std::string what, std::string tail, const Region* region,
                             const void* pc);
void uninitialised(const Access& access, const Region* region);
void too_early(const Access& access);

}  // namespace simt::check
