// The callbacks that -fsanitize=thread puts before every access, in place of libtsan's.

#include "access.h"
#include "state.h"

using simt::check::access;
using simt::check::How;

#define HERE __builtin_return_address(0)

// The compiler takes the type's alignment for granted here. 16 bytes it also reads so when they are
// aligned to 8.
template <unsigned size>
static inline void aligned(const void* p, bool write, const void* pc) {
  constexpr unsigned unit = size > 8 ? 8 : size;
  if (reinterpret_cast<std::uintptr_t>(p) % unit != 0 && simt::front != nullptr) {
    simt::check::misaligned(p, size, write, pc);
  }
}

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {
  if (simt::front != nullptr) simt::check::settle_writes();
}

#define SIMT_ACCESS(SIZE)                               \
  void __tsan_read##SIZE(void* p) {                     \
    aligned<SIZE>(p, false, HERE);                      \
    access(p, SIZE, How::read, false, HERE);            \
  }                                                     \
  void __tsan_write##SIZE(void* p) {                    \
    aligned<SIZE>(p, true, HERE);                       \
    access(p, SIZE, How::write, true, HERE);            \
  }                                                     \
  void __tsan_unaligned_read##SIZE(void* p) {           \
    access(p, SIZE, How::read, false, HERE);            \
  }                                                     \
  void __tsan_unaligned_write##SIZE(void* p) {          \
    access(p, SIZE, How::write, true, HERE);            \
  }                                                     \
  void __tsan_volatile_read##SIZE(void* p) {            \
    access(p, SIZE, How::volatile_read, false, HERE);   \
  }                                                     \
  void __tsan_volatile_write##SIZE(void* p) {           \
    access(p, SIZE, How::volatile_write, true, HERE);   \
  }                                                     \
  void __tsan_unaligned_volatile_read##SIZE(void* p) {  \
    access(p, SIZE, How::volatile_read, false, HERE);   \
  }                                                     \
  void __tsan_unaligned_volatile_write##SIZE(void* p) { \
    access(p, SIZE, How::volatile_write, true, HERE);   \
  }

SIMT_ACCESS(1)
SIMT_ACCESS(2)
SIMT_ACCESS(4)
SIMT_ACCESS(8)
SIMT_ACCESS(16)
#undef SIMT_ACCESS

void __tsan_read_range(void* p, unsigned long size) {
  if (size != 0) access(p, size, How::copy, false, HERE);
}
void __tsan_write_range(void* p, unsigned long size) {
  if (size != 0) access(p, size, How::copy, true, HERE);
}
void __tsan_vptr_update(void** p, void*) {
  access(p, sizeof(void*), How::write, true, HERE);
}
void __tsan_vptr_read(void** p) {
  access(p, sizeof(void*), How::read, false, HERE);
}

void __tsan_atomic_thread_fence(int) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (simt::front != nullptr) simt::check::note_fence();
}
void __tsan_atomic_signal_fence(int) {}

#define SIMT_FETCH(BITS, T, NAME)                                  \
  T __tsan_atomic##BITS##_fetch_##NAME(volatile T* p, T v, int) {  \
    access(const_cast<T*>(p), sizeof(T), How::atomic, true, HERE); \
    return __atomic_fetch_##NAME(p, v, __ATOMIC_SEQ_CST);          \
  }
#define SIMT_ATOMIC(BITS, T)                                                                \
  T __tsan_atomic##BITS##_load(const volatile T* p, int) {                                  \
    access(const_cast<T*>(p), sizeof(T), How::atomic, false, HERE);                         \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                            \
  }                                                                                         \
  void __tsan_atomic##BITS##_store(volatile T* p, T v, int) {                               \
    access(const_cast<T*>(p), sizeof(T), How::atomic_store, true, HERE);                    \
    __atomic_store_n(p, v, __ATOMIC_SEQ_CST);                                               \
  }                                                                                         \
  T __tsan_atomic##BITS##_exchange(volatile T* p, T v, int) {                               \
    access(const_cast<T*>(p), sizeof(T), How::atomic, true, HERE);                          \
    return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST);                                     \
  }                                                                                         \
  SIMT_FETCH(BITS, T, add)                                                                  \
  SIMT_FETCH(BITS, T, sub)                                                                  \
  SIMT_FETCH(BITS, T, and)                                                                  \
  SIMT_FETCH(BITS, T, or)                                                                   \
  SIMT_FETCH(BITS, T, xor)                                                                  \
  SIMT_FETCH(BITS, T, nand)                                                                 \
  int __tsan_atomic##BITS##_compare_exchange_strong(volatile T* p, T* e, T v, int, int) {   \
    access(const_cast<T*>(p), sizeof(T), How::atomic, true, HERE);                          \
    return __atomic_compare_exchange_n(p, e, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
  }                                                                                         \
  int __tsan_atomic##BITS##_compare_exchange_weak(volatile T* p, T* e, T v, int, int) {     \
    access(const_cast<T*>(p), sizeof(T), How::atomic, true, HERE);                          \
    return __atomic_compare_exchange_n(p, e, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
  }                                                                                         \
  T __tsan_atomic##BITS##_compare_exchange_val(volatile T* p, T e, T v, int, int) {         \
    access(const_cast<T*>(p), sizeof(T), How::atomic, true, HERE);                          \
    __atomic_compare_exchange_n(p, &e, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);       \
    return e;                                                                               \
  }

SIMT_ATOMIC(8, unsigned char)
SIMT_ATOMIC(16, unsigned short)
SIMT_ATOMIC(32, unsigned int)
SIMT_ATOMIC(64, unsigned long)
#undef SIMT_ATOMIC
#undef SIMT_FETCH

// -fsanitize=bounds: an index outside an array whose size the compiler knows.
struct UbsanLocation {
  const char* file;
  unsigned line, column;
};
struct UbsanType {
  unsigned short kind, info;
  char name[1];
};
struct UbsanOutOfBounds {
  UbsanLocation location;
  const UbsanType* array;
  const UbsanType* index;
};

static void out_of_bounds(const UbsanOutOfBounds* data, unsigned long index, const void* pc) {
  if (simt::front == nullptr) return;
  long long value = static_cast<long long>(index);
  if ((data->index->info & 1u) != 0 && data->index->info >> 1 == 5) {
    value = static_cast<int>(index);
  }
  simt::check::bad_index(data->array->name, value, pc);
}
void __ubsan_handle_out_of_bounds(UbsanOutOfBounds* data, unsigned long index) {
  out_of_bounds(data, index, HERE);
}
void __ubsan_handle_out_of_bounds_abort(UbsanOutOfBounds* data, unsigned long index) {
  out_of_bounds(data, index, HERE);
}

}  // extern "C"
