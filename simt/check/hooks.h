#pragma once

// What the runtime calls (see runtime/tools/check_hooks.h), by subject.

#include "state.h"
#include "tools/check_hooks.h"

namespace simt::check {

// regions.cpp
void allocated(const void* base, std::size_t size, MemoryKind kind, const void* caller);
void has_shape(const void* base, const ArrayShape& shape);
void object_made(const void* base, const char* what);
bool freed(void* base, std::size_t size, const void* caller);
void bad_free(const void* pointer, const void* caller);
void bad_free(const void* pointer, const void* caller, const char* function);
void bad_range(const char* what, const void* pointer, std::size_t size);
void forgot_all();
void written(const void* to, std::size_t size);
void copied_out(const void* from, std::size_t size);
void trust_all();
void report_leaks();

// happens_before.cpp
void warp_met(Block& block, unsigned warp, unsigned lanes);
void named_arrived(Block& block, unsigned id);
void named_passed(Block& block, unsigned id, std::uint32_t warps);

// sync.cpp
void barriers_differ(Block& block, Site first, Site second);
void barrier_lacks(Block& block, Site site, unsigned arrived);
void warp_lacks(Block& block, const char* operation, Site site, unsigned mask, unsigned gone,
                bool returned);
// A fault that the runtime itself has found, and will report.
void tell_fault(Grid& grid);

// async.cpp
void async_access(AsyncEvent event, const void* at, std::size_t size, const void* pc,
                  std::uint64_t since);
std::uint64_t async_time();
void barrier_made(const void* barrier, const void* pc);
void barrier_used(const void* barrier, bool engine, const void* pc);
void phase_seen(const void* barrier, const void* pc);
void phase_ended(const void* barrier, const void* arrivals);
void proxy_fence(bool init);
void async_misuse(FindingKind kind, const char* what, unsigned thread, const void* pc);

// lost_errors.cpp
void error_lost(LostError lost);
void error_read();
// The program ends: those that it never asked for become findings.
void report_lost_errors();

// surfaces.cpp
void misaligned_surface(const void* object, int x, std::size_t bytes, bool write, const void* pc);

// copies.cpp
void copy_began(void* to, const void* from, std::size_t size, const void* pc);
void copy_landed(void* to, const void* from, std::size_t size, const void* pc);

}  // namespace simt::check
