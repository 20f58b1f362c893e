// Sorts keys, or keys with a value beside each. It is stable: equal keys keep their order. NaN is larger than every number, -0
// equals 0.
#pragma once
#include "core/host/error.h"
#include "core/host/rung.h"
#include "ops/order/comparison.h"

namespace warpath::merge_sort {

struct Args {
  static constexpr const char* op = "merge_sort";
  Tensor keys, values, y, y_values;
  Comparison comparison = Comparison::ascending;
  Scratch scratch;

  static Contract contract() {
    return Contract(op, "keys sorted, or keys and values sorted by key")
        .in("keys", &Args::keys, {"n"}, {DType::f32, DType::f16, DType::bf16, DType::i32})
        .in("values", &Args::values, {"n_values"}, {DType::i32})
        .index()
        .optional()
        .out("y", &Args::y, {"n"}, "keys")
        .out("y_values", &Args::y_values, {"n_values"}, {DType::i32})
        .index()
        .optional()
        .choice("comparison", &Args::comparison, {"ascending", "descending", "magnitude"})
        .scratch("scratch", &Args::scratch)
        .after({"merge"});
  }

  bool has_values() const { return values.rank > 0; }
};

// What the contract cannot say.
inline void check_values(const Args& args) {
  WARPATH_CHECK(!args.has_values() || args.values.size() == args.keys.size(),
                "merge_sort: as many values as keys");
}

}  // namespace warpath::merge_sort
