#pragma once

// Asynchronous copies: cp.async and the pipeline primitives on top of it. A copy lands as late as
// the program allows, when the thread that began it waits for its group: until then the destination
// keeps its old bytes, and the source may still change. A missing wait therefore shows. Copies that
// nobody waits for never land.

#include <simt/self.h>
#include <simt/sync.h>

#include <cstddef>

namespace simt {

// Begins a copy of any size; the last `zeros` bytes of the destination are cleared instead.
void async_copy(void* to, const void* from, std::size_t size, std::size_t zeros);
// The copies begun since the last call become a group.
void async_commit();
// Waits until at most `newest` of the thread's groups are not done.
void async_wait(std::size_t newest);
// Waits for all of the thread's copies, in groups or not.
void async_wait_all();

// The rules of cp.async: 4, 8 or 16 aligned bytes, from global into this block's shared memory.
void checked_async_copy(void* to, const void* from, std::size_t size, std::size_t zeros, Site site);

}  // namespace simt
