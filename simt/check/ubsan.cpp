// The callbacks of -fsanitize=bounds, object-size and alignment, in place of libubsan's.

#include <string_view>

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

// -fsanitize=object-size: an access that ends behind the variable its pointer comes from.
// -fsanitize=alignment: one that is not aligned as its type needs.
struct UbsanTypeMismatch {
  UbsanLocation location;
  const UbsanType* type;
  unsigned char log_alignment;  // 0: the object's end
  unsigned char kind;           // 0: a load, 1: a store, else no access yet
};

// Bytes of the type; of one that is not known, at least its alignment. At an object's end the type
// is given as a pointer, with the name of what it points to.
static std::size_t size_of(const UbsanTypeMismatch& data) {
  if (data.type->kind == 0) return (std::size_t{1} << (data.type->info >> 1)) / 8;
  if (data.type->kind == 1) return data.type->info / 8u;
  const std::string_view name = data.type->name;
  const auto is = [&](const char* word) { return name.find(word) != name.npos; };
  if (is("char") || is("bool")) return 1;
  if (is("short")) return 2;
  if (is("double") || is("long")) return 8;
  if (is("'int'") || is("'unsigned int'") || is("'float'")) return 4;
  return std::size_t{1} << data.log_alignment;
}

static void mismatch(const UbsanTypeMismatch* data, unsigned long pointer, const void* pc) {
  if (simt::front == nullptr || data->kind > 1) return;
  const simt::check::Access access{pointer, size_of(*data), simt::check::How::plain,
                                   data->kind == 1, pc};
  if (data->log_alignment == 0) return simt::check::bad_object(access);
  if ((pointer & ((1ul << data->log_alignment) - 1)) != 0) simt::check::misaligned(access);
}
void __ubsan_handle_type_mismatch_v1(UbsanTypeMismatch* data, unsigned long pointer) {
  mismatch(data, pointer, HERE);
}
void __ubsan_handle_type_mismatch_v1_abort(UbsanTypeMismatch* data, unsigned long pointer) {
  mismatch(data, pointer, HERE);
}

// A vector access of inline PTX: see simt/ptx_values.h.
void simt_check_misaligned(const void* at, std::size_t bytes, bool write) {
  if (simt::front == nullptr) return;
  simt::check::misaligned(
      {reinterpret_cast<std::uintptr_t>(at), bytes, simt::check::How::plain, write, HERE});
}

}  // extern "C"
