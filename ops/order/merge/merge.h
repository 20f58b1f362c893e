// Two sorted sequences become one, stable: of equal keys, those of a come first. With values beside the keys, each value goes
// where its key goes. Both inputs must be sorted by the comparison; a kernel does not check that.
#pragma once
#include "core/host/error.h"
#include "core/host/rung.h"
#include "ops/order/comparison.h"

namespace warpath::merge {

struct Args {
  static constexpr const char* op = "merge";
  Tensor a, b, a_values, b_values, y, y_values;
  Comparison comparison = Comparison::ascending;
  Scratch scratch;

  static Contract contract() {
    return Contract(op, "two sorted sequences as one, of keys or of keys and values")
        .in("a", &Args::a, {"n"}, {DType::f32, DType::f16, DType::bf16, DType::i32})
        .in("b", &Args::b, {"m"}, "a")
        .in("a_values", &Args::a_values, {"n_values"}, {DType::i32})
        .index()
        .optional()
        .in("b_values", &Args::b_values, {"m_values"}, {DType::i32})
        .index()
        .optional()
        .out("y", &Args::y, {"n+m"}, "a")
        .out("y_values", &Args::y_values, {"n_values+m_values"}, {DType::i32})
        .index()
        .optional()
        .choice("comparison", &Args::comparison, {"ascending", "descending", "magnitude"})
        .scratch("scratch", &Args::scratch)
        .after({"top_k"});
  }

  bool has_values() const { return a_values.rank > 0; }
};

// What the contract cannot say.
inline void check_values(const Args& args) {
  WARPATH_CHECK((args.a_values.rank > 0) == (args.b_values.rank > 0),
                "merge: values of both inputs, or of none");
  if (args.a_values.rank == 0) return;
  WARPATH_CHECK(args.a_values.size() == args.a.size() && args.b_values.size() == args.b.size(),
                "merge: as many values as keys");
}

}  // namespace warpath::merge
