#pragma once

// PTX's asynchronous instructions, as the functions that inline PTX becomes (cc/ptx/async.cpp).
// Addresses in shared memory are 32-bit numbers, this block's or (from mapa) another one's, or
// generic.

#include <simt/async_copy.h>
#include <simt/bulk_copy.h>
#include <simt/cluster.h>
#include <simt/memory_barrier.h>
#include <simt/ptx_values.h>
#include <simt/sync.h>
#include <simt/warp.h>
#include <simt/wgmma.h>

#include <type_traits>

namespace simt::ptx {

using Word = unsigned long long;

// mbarrier. A state is the phase, and above it the arrivals that were missing.
inline MemoryBarrier* mbarrier_at(Word address) {
  return static_cast<MemoryBarrier*>(shared_at(address));
}
inline void mbarrier_init(Word address, unsigned count, SIMT_HERE) {
  memory_barrier_init(mbarrier_at(address), count, {file, line});
}
inline void mbarrier_inval(Word address, SIMT_HERE) {
  memory_barrier_invalidate(mbarrier_at(address), {file, line});
}
inline Word mbarrier_arrive(Word address, unsigned count, bool drop, bool may_complete, SIMT_HERE) {
  MemoryBarrier* const barrier = mbarrier_at(address);
  const unsigned missing = memory_barrier_pending(barrier);
  if (!may_complete && missing <= count) {
    fault(cudaErrorIllegalInstruction, "mbarrier.arrive.noComplete completes the phase",
          {file, line});
  }
  const Word phase = memory_barrier_arrive(barrier, count, drop, {file, line});
  return phase | static_cast<Word>(missing) << 32;
}
inline Word mbarrier_pending_count(Word state) {
  return state >> 32;
}
inline void mbarrier_expect_tx(Word address, unsigned bytes, SIMT_HERE) {
  memory_barrier_expect(mbarrier_at(address), static_cast<int>(bytes), {file, line});
}
inline void mbarrier_complete_tx(Word address, unsigned bytes, SIMT_HERE) {
  memory_barrier_expect(mbarrier_at(address), -static_cast<int>(bytes), {file, line});
}
inline Word mbarrier_arrive_expect_tx(Word address, unsigned bytes, bool drop, SIMT_HERE) {
  mbarrier_expect_tx(address, bytes, file, line);
  return mbarrier_arrive(address, 1, drop, true, file, line);
}
inline bool mbarrier_wait_state(Word address, Word state, SIMT_HERE) {
  return memory_barrier_poll(mbarrier_at(address), static_cast<unsigned>(state), {file, line});
}
inline bool mbarrier_wait_parity(Word address, unsigned parity, SIMT_HERE) {
  return memory_barrier_poll_parity(mbarrier_at(address), parity, {file, line});
}

// Fences between what threads write and what TMA and the tensor cores read.
inline void fence_mbarrier_init() {
  proxy_fence(true);
}
inline void fence_proxy_async() {
  proxy_fence(false);
}

// Bulk copies.
inline void tensor_load(Word to, Word map, const Coordinates& at, Word barrier, int blocks,
                        SIMT_HERE) {
  ::simt::tensor_load(shared_at(to), global_at(map), at, mbarrier_at(barrier), blocks,
                      {file, line});
}
inline void tensor_store(Word map, const Coordinates& at, Word from, Reduction by, SIMT_HERE) {
  ::simt::tensor_store(global_at(map), at, shared_at(from), by, {file, line});
}
inline void tensor_prefetch(Word map, const Coordinates& at, SIMT_HERE) {
  ::simt::tensor_prefetch(global_at(map), at, {file, line});
}
inline void bulk_load(Word to, Word from, unsigned size, Word barrier, int blocks, Reduced how,
                      SIMT_HERE) {
  ::simt::bulk_load(shared_at(to), shared_at(from), size, mbarrier_at(barrier), blocks, how,
                    {file, line});
}
inline void bulk_store(Word to, Word from, unsigned size, Reduced how, SIMT_HERE) {
  ::simt::bulk_store(global_at(to), shared_at(from), size, how, {file, line});
}
inline void bulk_commit() {
  ::simt::bulk_commit();
}
inline void bulk_wait(unsigned newest, bool read) {
  ::simt::bulk_wait(newest, read);
}
template <class T, int N>
void store_async(Word to, const Array<T, N>& values, Word barrier, Reduced how, SIMT_HERE) {
  static_assert(sizeof values.value <= 16);
  ::simt::store_async(shared_at(to), values.value, sizeof values.value, mbarrier_at(barrier), how,
                      {file, line});
}
inline void cp_async_mbarrier_arrive(Word barrier, bool counted, SIMT_HERE) {
  arrive_after_copies(mbarrier_at(barrier), counted, {file, line});
}
// The last operand of cp.async: how many bytes there are, or whether to ignore the source.
template <class T>
unsigned bytes_given(T given) {
  if constexpr (std::is_same_v<T, bool>) return given ? 0u : ~0u;
  return static_cast<unsigned>(given);
}
inline void tensor_map_replace(Word map, MapField field, unsigned number, Word value, SIMT_HERE) {
  ::simt::tensor_map_replace(shared_at(map), field, number, value, {file, line});
}
inline void tensor_map_copy(Word to, Word from) {
  if (lane_id() == 0) std::memcpy(global_at(to), shared_at(from), 128);
  __syncwarp();
}

// Clusters.
inline Word mapa(Word generic, unsigned rank, SIMT_HERE) {
  return reinterpret_cast<Word>(map_shared_rank(global_at(generic), rank, {file, line}));
}
inline unsigned mapa_shared(Word address, unsigned rank, SIMT_HERE) {
  return static_cast<unsigned>(
      cluster_offset(map_shared_rank(shared_at(address), rank, {file, line})));
}
inline unsigned getctarank(Word generic, SIMT_HERE) {
  return query_shared_rank(global_at(generic), {file, line});
}
inline unsigned getctarank_shared(Word address, SIMT_HERE) {
  return query_shared_rank(shared_at(address), {file, line});
}

// The lowest lane of the mask leads.
inline int elect(unsigned mask, SIMT_HERE) {
  const unsigned lanes = warp_word(WarpOp::ballot, mask, 1, {file, line});
  return __builtin_ctz(lanes);
}
inline void warp_sync(unsigned mask, SIMT_HERE) {
  __syncwarp(mask, file, line);
}
// How a kernel may begin before the one it depends on has ended: here grids run one after the
// other.
inline void programmatic_launch() {}
inline void set_max_registers(unsigned count, SIMT_HERE) {
  if (count % 8 == 0 && count >= 24 && count <= 256) return;
  fault(cudaErrorIllegalInstruction, "setmaxnreg takes a multiple of 8 from 24 to 256",
        {file, line});
}

// wgmma.
template <class T>
void* place_of(T& lvalue) {
  static_assert(sizeof(T) == 4, "wgmma: registers of four bytes");
  return static_cast<void*>(const_cast<std::remove_cv_t<T>*>(&lvalue));
}
inline void wgmma_fence(SIMT_HERE) {
  ::simt::wgmma_fence({file, line});
}
inline void wgmma_commit(SIMT_HERE) {
  ::simt::wgmma_commit({file, line});
}
inline void wgmma_wait(unsigned newest, SIMT_HERE) {
  ::simt::wgmma_wait(newest, {file, line});
}
inline void wgmma(const ProductShape& shape, void* const* places, Word a, Word b, bool adds,
                  int sign_a = 1, int sign_b = 1, int a_turned = 0, int b_turned = 0, SIMT_HERE) {
  wgmma_issue({shape, false, adds, sign_a < 0, sign_b < 0, a_turned != 0, b_turned != 0, a, b, {}},
              places, {file, line});
}
inline void wgmma(const ProductShape& shape, void* const* places, const Array<unsigned, 4>& a,
                  Word b, bool adds, int sign_a = 1, int sign_b = 1, int = 0, int b_turned = 0,
                  SIMT_HERE) {
  wgmma_issue({shape,
               true,
               adds,
               sign_a < 0,
               sign_b < 0,
               false,
               b_turned != 0,
               0,
               b,
               {a[0], a[1], a[2], a[3]}},
              places, {file, line});
}

}  // namespace simt::ptx
