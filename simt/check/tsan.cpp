// The callbacks that -fsanitize=thread puts before every access, in place of libtsan's.

#include "access.h"
#include "reach.h"
#include "state.h"

using simt::check::Access;
using simt::check::Address;
using simt::check::How;

#define HERE __builtin_return_address(0)

static inline Access access_of(const volatile void* p, std::size_t size, How how, bool write,
                               const void* pc) {
  return {reinterpret_cast<Address>(p), size, how, write, pc};
}

static inline void general(const volatile void* p, std::size_t size, How how, bool write,
                           const void* pc) {
  simt::check::general_access(access_of(p, size, how, write, pc));
}

template <std::size_t Size, bool Write>
[[gnu::noinline]] static void on_host(Address address, const void* pc) {
  if (!simt::check::heap_area.holds(address)) return;
  simt::check::host_access({address, Size, How::plain, Write, pc});
}

template <std::size_t Size, bool Write>
[[gnu::noinline]] static void noted(Address address, const void* pc) {
  simt::check::note_site(pc);
  simt::check::kernel_access<Size, Write>(simt::current_block(), address, pc);
}

template <std::size_t Size, bool Write>
static inline void plain(const void* p, const void* pc) {
  const auto address = reinterpret_cast<Address>(p);
  if (__builtin_expect(simt::front == nullptr, 0)) return on_host<Size, Write>(address, pc);
  if (__builtin_expect(simt::check::records_sites, 0)) return noted<Size, Write>(address, pc);
  simt::check::kernel_access<Size, Write>(simt::current_block(), address, pc);
}

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}

#define SIMT_ACCESS(SIZE)                               \
  void __tsan_read##SIZE(void* p) {                     \
    plain<SIZE, false>(p, HERE);                        \
  }                                                     \
  void __tsan_write##SIZE(void* p) {                    \
    plain<SIZE, true>(p, HERE);                         \
  }                                                     \
  void __tsan_unaligned_read##SIZE(void* p) {           \
    general(p, SIZE, How::plain, false, HERE);          \
  }                                                     \
  void __tsan_unaligned_write##SIZE(void* p) {          \
    general(p, SIZE, How::plain, true, HERE);           \
  }                                                     \
  void __tsan_volatile_read##SIZE(void* p) {            \
    general(p, SIZE, How::volatile_, false, HERE);      \
  }                                                     \
  void __tsan_volatile_write##SIZE(void* p) {           \
    general(p, SIZE, How::volatile_, true, HERE);       \
  }                                                     \
  void __tsan_unaligned_volatile_read##SIZE(void* p) {  \
    general(p, SIZE, How::volatile_, false, HERE);      \
  }                                                     \
  void __tsan_unaligned_volatile_write##SIZE(void* p) { \
    general(p, SIZE, How::volatile_, true, HERE);       \
  }

SIMT_ACCESS(1)
SIMT_ACCESS(2)
SIMT_ACCESS(4)
SIMT_ACCESS(8)
SIMT_ACCESS(16)
#undef SIMT_ACCESS

void __tsan_read_range(void* p, unsigned long size) {
  if (size != 0) general(p, size, How::copy, false, HERE);
}
void __tsan_write_range(void* p, unsigned long size) {
  if (size != 0) general(p, size, How::copy, true, HERE);
}
void __tsan_vptr_update(void** p, void*) {
  general(p, sizeof(void*), How::plain, true, HERE);
}
void __tsan_vptr_read(void** p) {
  general(p, sizeof(void*), How::plain, false, HERE);
}

void __tsan_atomic_thread_fence(int) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (simt::front != nullptr) simt::check::note_fence();
}
void __tsan_atomic_signal_fence(int) {}

// Orders that release also act as a fence. CUDA's own atomic functions are relaxed (atomicCAS, in
// simt/atomic.h, acquires).
static inline void released(int order) {
  if (simt::front == nullptr) return;
  if (order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL || order == __ATOMIC_SEQ_CST) {
    simt::check::note_fence();
  }
}

static inline void update(const volatile void* p, std::size_t size, int order, const void* pc,
                          How how = How::atomic) {
  released(order);
  general(p, size, how, true, pc);
}

// simt's own loops (atomicMax and others, simt/atomic.h) are relaxed: each is one atomic update.
static inline How swap(int order) {
  return order == __ATOMIC_RELAXED ? How::atomic : How::compare;
}

#define SIMT_FETCH(BITS, T, NAME)                                       \
  T __tsan_atomic##BITS##_fetch_##NAME(volatile T* p, T v, int order) { \
    update(p, sizeof(T), order, HERE);                                  \
    return __atomic_fetch_##NAME(p, v, __ATOMIC_SEQ_CST);               \
  }
#define SIMT_ATOMIC(BITS, T)                                                                    \
  T __tsan_atomic##BITS##_load(const volatile T* p, int) {                                      \
    general(p, sizeof(T), How::atomic, false, HERE);                                            \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                \
  }                                                                                             \
  void __tsan_atomic##BITS##_store(volatile T* p, T v, int order) {                             \
    released(order);                                                                            \
    general(p, sizeof(T), How::atomic_store, true, HERE);                                       \
    __atomic_store_n(p, v, __ATOMIC_SEQ_CST);                                                   \
  }                                                                                             \
  T __tsan_atomic##BITS##_exchange(volatile T* p, T v, int order) {                             \
    update(p, sizeof(T), order, HERE);                                                          \
    return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST);                                         \
  }                                                                                             \
  SIMT_FETCH(BITS, T, add)                                                                      \
  SIMT_FETCH(BITS, T, sub)                                                                      \
  SIMT_FETCH(BITS, T, and)                                                                      \
  SIMT_FETCH(BITS, T, or)                                                                       \
  SIMT_FETCH(BITS, T, xor)                                                                      \
  SIMT_FETCH(BITS, T, nand)                                                                     \
  int __tsan_atomic##BITS##_compare_exchange_strong(volatile T* p, T* e, T v, int order, int) { \
    update(p, sizeof(T), order, HERE, swap(order));                                             \
    return __atomic_compare_exchange_n(p, e, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);     \
  }                                                                                             \
  int __tsan_atomic##BITS##_compare_exchange_weak(volatile T* p, T* e, T v, int order, int) {   \
    update(p, sizeof(T), order, HERE, swap(order));                                             \
    return __atomic_compare_exchange_n(p, e, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);     \
  }                                                                                             \
  T __tsan_atomic##BITS##_compare_exchange_val(volatile T* p, T e, T v, int order, int) {       \
    update(p, sizeof(T), order, HERE, swap(order));                                             \
    __atomic_compare_exchange_n(p, &e, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);           \
    return e;                                                                                   \
  }

SIMT_ATOMIC(8, unsigned char)
SIMT_ATOMIC(16, unsigned short)
SIMT_ATOMIC(32, unsigned int)
SIMT_ATOMIC(64, unsigned long)
#undef SIMT_ATOMIC
#undef SIMT_FETCH

}  // extern "C"
