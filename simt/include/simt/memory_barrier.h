#pragma once

// Barriers that live in memory as one word, as PTX's mbarrier does: cuda::barrier, cuda::pipeline
// and cuda::latch are made of them. Any thread may arrive, several times and without waiting. A
// phase ends when the expected arrivals, and the bytes that were announced, have come.

#include <simt/self.h>

#include <cstddef>
#include <cstdint>

namespace simt {

using MemoryBarrier = std::uint64_t;

// Arrivals that a barrier can expect, and bytes.
inline constexpr unsigned max_arrivals = (1u << 20) - 1;

void memory_barrier_init(MemoryBarrier* barrier, unsigned expected, Site site);
// What the last arrival of a phase does before anyone goes on.
struct Completion {
  void (*call)(void* with) = nullptr;
  void* with = nullptr;
};
// Gives the phase in which it arrived. With `drop` the later phases expect less.
unsigned memory_barrier_arrive(MemoryBarrier* barrier, unsigned count, bool drop, Site site,
                               Completion completion = {});
// The present phase will also wait for (or, negative, has got) so many bytes.
void memory_barrier_expect(MemoryBarrier* barrier, int bytes, Site site);
// Whether the phase with this number, or this parity, is over.
bool memory_barrier_is_over(const MemoryBarrier* barrier, unsigned phase);
bool memory_barrier_parity_is_over(const MemoryBarrier* barrier, unsigned parity);
// The same, but the thread sleeps first, as long as others can go on.
bool memory_barrier_poll(const MemoryBarrier* barrier, unsigned phase, Site site);
bool memory_barrier_poll_parity(const MemoryBarrier* barrier, unsigned parity, Site site);
// Arrivals that are still missing.
unsigned memory_barrier_pending(const MemoryBarrier* barrier);
void memory_barrier_invalidate(MemoryBarrier* barrier, Site site);
void memory_barrier_wait(const MemoryBarrier* barrier, unsigned phase, Site site);
void memory_barrier_wait_parity(const MemoryBarrier* barrier, unsigned parity, Site site);

// A copy that lands when the present phase ends, not before: until then the destination keeps its
// old bytes.
void memory_barrier_copy(MemoryBarrier* barrier, void* to, const void* from, std::size_t size);

}  // namespace simt
