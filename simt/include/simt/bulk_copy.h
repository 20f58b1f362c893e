#pragma once

// Copies that one thread asks for and the hardware makes by itself (cp.async.bulk, TMA, st.async).
// Each lands as late as the program allows: one that belongs to a barrier when somebody waits for
// the phase and nothing else is missing, a store when its thread waits for its group, or at the
// block's end. Until then destinations keep their bytes and sources are not read.

#include <simt/memory_barrier.h>
#include <simt/self.h>
#include <simt/tensor_map.h>

#include <cstddef>

namespace simt {

// `blocks`: bits of the cluster's blocks that get it, or -1 for where `to` lies.
void tensor_load(void* to, const void* map, const Coordinates& at, MemoryBarrier* barrier,
                 int blocks, Site site);
void tensor_store(const void* map, const Coordinates& at, const void* from, Reduction by,
                  Site site);
void tensor_prefetch(const void* map, const Coordinates& at, Site site);
void bulk_load(void* to, const void* from, std::size_t size, MemoryBarrier* barrier, int blocks,
               Reduced how, Site site);
void bulk_store(void* to, const void* from, std::size_t size, Reduced how, Site site);
void bulk_commit();
// Until at most `newest` of the thread's groups are not done, or (with `read`) have not read
// theirs.
void bulk_wait(unsigned newest, bool read);
// A value of up to 16 bytes.
void store_async(void* to, const void* value, std::size_t size, MemoryBarrier* barrier, Reduced how,
                 Site site);
// The thread arrives when its cp.async copies up to now have landed. Counted among the expected
// arrivals, or (not `counted`) on top of them.
void arrive_after_copies(MemoryBarrier* barrier, bool counted, Site site);

void tensor_map_replace(void* map, MapField field, unsigned number, unsigned long long value,
                        Site site);

}  // namespace simt
