#pragma once

// What the runtime tells the checks of `warpath cc --check` (simt/check). Plain programs do not
// load them: then the pointer is null, and each of these places costs a load and a branch.

#include <driver_types.h>
#include <simt/allocation.h>
#include <simt/array_shape.h>
#include <simt/self.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "tools/finding_kind.h"

namespace simt {

struct Block;
struct Grid;

// What the hardware does by itself: bulk copies and products.
enum class AsyncEvent : unsigned char {
  write_begins,  // into shared memory, from now on at any time
  write_lands,
  read_begins,  // of shared memory, from now on at any time
  read_ends,
  global_read,
  multicast_read,  // of bytes that come with those of another block: memory is read once for both
  global_write,
  global_update,  // by a reduction, each element in one step
};

// A launch or a call of an API that failed, and the program does not take the result.
struct LostError {
  const char* call;    // null: a launch
  const char* kernel;  // of a launch, else null
  const char* code;    // its name
  std::string reason;  // in words
  Site site;           // that of a launch is not known
  bool stays;          // cudaGetLastError tells of it later
};

struct CheckHooks {
  // `caller` is null for memory that the program knows nothing of.
  void (*allocated)(const void* base, std::size_t size, MemoryKind kind, const void* caller);
  // What the pointer to it points to.
  void (*has_shape)(const void* base, const ArrayShape& shape);
  // True: the check keeps the memory for a while, and gives it back with heap_free.
  bool (*freed)(void* base, std::size_t size, const void* caller);
  void (*bad_free)(const void* pointer, const void* caller);
  // A call of the API touches memory outside of a block.
  void (*bad_range)(const char* what, const void* pointer, std::size_t size);
  void (*forgot_all)();
  void (*written)(const void* to, std::size_t size);       // by the API
  void (*copied_out)(const void* from, std::size_t size);  // to the host, by the API
  void (*library_wrote)();                                 // anything, unseen
  void (*block_began)(Block& block);
  void (*block_ended)(Block& block);
  void (*barrier_passed)(Block& block);  // by all threads
  void (*warp_met)(Block& block, unsigned warp, unsigned lanes);
  // A barrier of some of the threads: the running one arrives; the threads of these warps go on.
  void (*named_arrived)(Block& block, unsigned id);
  void (*named_passed)(Block& block, unsigned id, std::uint32_t warps);
  // The block's barrier: threads at different calls of it meet; it completes without those that
  // have returned.
  void (*barriers_differ)(Block& block, Site first, Site second);
  void (*barrier_lacks)(Block& block, Site site, unsigned arrived);
  // A warp operation completes without lanes that its mask names: they have returned, or they are
  // read and the block has no such threads.
  void (*warp_lacks)(Block& block, const char* operation, Site site, unsigned mask, unsigned lanes,
                     bool returned);
  void (*blocks_met)(Grid& grid);  // of a cooperative grid
  std::uint64_t (*cluster_met)();  // a cluster's barrier completes: when that is
  void (*grid_ended)(Grid& grid, bool faulted);
  // An asynchronous copy of the running thread. `from` is null when zeros are written.
  void (*copy_began)(void* to, const void* from, std::size_t size, const void* pc);
  void (*copy_landed)(void* to, const void* from, std::size_t size, const void* pc);
  // What the running thread did so far is known to whoever acquires the object after this: an
  // mbarrier's arrive and wait, a lock's end and begin.
  void (*release)(const void* object);
  void (*acquire)(const void* object);
  // Asked for by the running thread, or landing because it waits. `since`: of a read that ends,
  // when it was asked for.
  void (*async_access)(AsyncEvent event, const void* at, std::size_t size, const void* pc,
                       std::uint64_t since);
  std::uint64_t (*async_time)();
  // A barrier in memory is made, or used by the running thread or (`engine`) by a copy it asks for.
  void (*barrier_made)(const void* barrier, const void* pc);
  void (*barrier_used)(const void* barrier, bool engine, const void* pc);
  // The running thread waited for a parity and found the phase before the present one over; the
  // present phase ends, and `arrivals` is the object that those who arrived in it have released.
  void (*phase_seen)(const void* barrier, const void* pc);
  void (*phase_ended)(const void* barrier, const void* arrivals);
  void (*proxy_fence)(bool init);  // see simt/shared.h
  void (*error_lost)(LostError lost);
  void (*error_read)();  // the program asks for the last error
  // Something that must not be: a copy that nobody waited for and so on. `thread` of the running
  // block.
  void (*async_misuse)(FindingKind kind, const char* what, unsigned thread, const void* pc);
  // What was allocated last is a texture or a surface object: `what` says which.
  void (*object_made)(const void* base, const char* what) = nullptr;
  // The running thread is about to read or write `bytes` of a surface at a byte x that is no multiple of it.
  void (*misaligned_surface)(const void* object, int x, std::size_t bytes, bool write,
                             const void* pc) = nullptr;
  // A lane's row of 16 bytes in a matrix that a warp loads (ldmatrix); told only by code that is
  // counted (simt/xray), null in the checks.
  void (*matrix_row)(const void* row, const void* pc) = nullptr;
};

extern const CheckHooks* check_hooks;

// Bytes kept free behind each allocation of device memory and each shared variable, so that running
// past the end meets nothing else. None in plain programs.
extern bool red_zones;
inline std::size_t red_zone(std::size_t wanted) {
  return red_zones ? wanted : 0;
}

// See CheckHooks::matrix_row. Called by ldmatrix (simt/ptx_matrix.h).
namespace ptx {
void tell_matrix_row(const void* row);
}

}  // namespace simt
