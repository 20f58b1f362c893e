// The callbacks of -fsanitize=bounds and -fsanitize=object-size, in place of libubsan's.

#include "access.h"

#define HERE __builtin_return_address(0)

extern "C" {

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

// -fsanitize=object-size: an access that ends behind the variable its pointer comes from. The other
// things this callback is for in libubsan are not asked for.
struct UbsanTypeMismatch {
  UbsanLocation location;
  const UbsanType* type;
  unsigned char log_alignment;
  unsigned char kind;  // 0: a load, 1: a store
};

void __ubsan_handle_type_mismatch_v1(UbsanTypeMismatch* data, unsigned long pointer) {
  if (simt::front == nullptr || data->kind > 1) return;
  simt::check::bad_object(reinterpret_cast<const void*>(pointer), data->type->name, data->kind == 1,
                          HERE);
}
void __ubsan_handle_type_mismatch_v1_abort(UbsanTypeMismatch* data, unsigned long pointer) {
  __ubsan_handle_type_mismatch_v1(data, pointer);
}

}  // extern "C"
