#pragma once

// The pipeline primitives: asynchronous copies into shared memory, in groups.

#include <simt/async_copy.h>
#include <simt/host_defines.h>

// Copies size_and_align - zfill bytes and clears the other zfill.
inline void __pipeline_memcpy_async(void* __restrict__ dst_shared,
                                    const void* __restrict__ src_global, std::size_t size_and_align,
                                    std::size_t zfill = 0, SIMT_HERE) {
  simt::checked_async_copy(dst_shared, src_global, size_and_align, zfill, {file, line});
}
inline void __pipeline_commit() {
  simt::async_commit();
}
inline void __pipeline_wait_prior(std::size_t prior) {
  simt::async_wait(prior);
}
