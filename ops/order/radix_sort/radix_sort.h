// sorted[r] = the keys of row r in order; sorted_values[r] = the values of row r in the order of their keys.
//   descending  from the largest key to the smallest
//   begin_bit, end_bit  only these bits of the ordered keys count; an end_bit of 0 stands for all bits
// Stable: equal keys keep their order, in both directions. NaN is larger than everything, minus zero equals zero, as in
// PyTorch. All elements of a tensor are one row.
#pragma once
#include "core/host/error.h"
#include "core/host/rung.h"

namespace warpath::radix_sort {

struct Args {
  static constexpr const char* op = "radix_sort";
  Tensor keys, values, sorted, sorted_values;
  bool descending = false;
  std::int64_t begin_bit = 0, end_bit = 0;
  Scratch scratch;

  static Contract contract() {
    return Contract(op, "sorted = keys in order along the last axis, with values beside them")
        .in("keys", &Args::keys, {"rows...", "length"},
            {DType::f32, DType::f16, DType::bf16, DType::f64, DType::i64, DType::i32, DType::i16,
             DType::i8, DType::u64, DType::u32, DType::u16, DType::u8})
        .in("values", &Args::values, {"value_rows...", "value_length"}, {DType::i32})
        .index()
        .optional()
        .out("sorted", &Args::sorted, {"rows...", "length"}, "keys")
        .out("sorted_values", &Args::sorted_values, {"value_rows...", "value_length"}, "values")
        .index()
        .optional()
        .boolean("descending", &Args::descending, false)
        .integer("begin_bit", &Args::begin_bit, 0)
        .integer("end_bit", &Args::end_bit, 0)
        .scratch("scratch", &Args::scratch)
        .after({"select"});
  }

  bool pairs() const { return values.data != nullptr && values.size() > 0; }
  int key_bits() const { return static_cast<int>(8 * size_of(keys.dtype)); }
  int last_bit() const { return end_bit == 0 ? key_bits() : static_cast<int>(end_bit); }
};

// What the contract cannot say.
inline void check(const Args& args, int key_bits) {
  const std::int64_t end = args.end_bit == 0 ? key_bits : args.end_bit;
  WARPATH_CHECK(args.begin_bit >= 0 && args.begin_bit <= end && end <= key_bits,
                "radix_sort: begin_bit and end_bit must be in order, inside the bits of a key");
  if (args.values.data == nullptr) return;
  WARPATH_CHECK(
      args.values.shape[0] == args.keys.shape[0] && args.values.shape[1] == args.keys.shape[1],
      "radix_sort: argument 'values' must have the shape of 'keys'");
}

}  // namespace warpath::radix_sort
