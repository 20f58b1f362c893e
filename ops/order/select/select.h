// The elements of x that pass a test, in their order, at the beginning of y; how many they are, in count.
//   test       flags: flags[i] is not zero; above: x[i] > threshold; nonzero: x[i] != 0; unique: x[i] != x[i - 1]
//   partition  the other elements go to the end of y, the first of them last
// Without `partition` the rest of y keeps what it held: how much will be written is not known before the launch, so y is as
// long as x. The others are in reverse order because their number is not known when the first of them is written.
#pragma once
#include "core/host/rung.h"

namespace warpath::select {

enum class Test : int { flags, above, nonzero, unique };

struct Args {
  static constexpr const char* op = "select";
  Tensor x, flags, y, count;
  Test test = Test::flags;
  double threshold = 0;
  bool partition = false;
  Scratch scratch;

  static Contract contract() {
    return Contract(op, "y = the elements of x that pass a test, in their order; count: how many")
        .in("x", &Args::x, {"n"}, {DType::f32, DType::f16, DType::bf16, DType::i32})
        .inout("y", &Args::y, {"n"}, "x")
        .in("flags", &Args::flags, {"n"}, {DType::boolean})
        .optional()
        .out("count", &Args::count, {"1"}, {DType::i64})
        .index()
        .choice("test", &Args::test, {"flags", "above", "nonzero", "unique"})
        .real("threshold", &Args::threshold, 0)
        .boolean("partition", &Args::partition, false)
        .scratch("scratch", &Args::scratch)
        .after({"scan"});
  }
};

}  // namespace warpath::select
