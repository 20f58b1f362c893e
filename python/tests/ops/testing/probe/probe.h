// Ops for the tests of the Python package alone: what a contract can say and no op of ops/ says yet.
#pragma once
#include "core/host/contract.h"
#include "core/host/tensor.h"

namespace warpath::probe {

// Several outputs, an optional tensor, an index tensor of another type, "batch+1", a fixed axis,
// every kind of scalar: segment sums of x * scale (+ bias), and what each call was given.
struct Segments {
  static constexpr const char* op = "probe_segments";
  Tensor x, offsets, bias, sums, given;
  std::int64_t seed = 0;
  double scale = 1;
  bool negate = false;

  static Contract contract() {
    return Contract(op, "sums of segments of x")
        .in("x", &Segments::x, {"n", "2"}, {DType::f32})
        .in("offsets", &Segments::offsets, {"batch+1"}, {DType::i64})
        .index()
        .in("bias", &Segments::bias, {"batch"}, "x")
        .optional()
        .out("sums", &Segments::sums, {"batch", "2"}, "x")
        .out("given", &Segments::given, {"3"}, {DType::i64})
        .integer("seed", &Segments::seed, -1)
        .real("scale", &Segments::scale, 1.5)
        .boolean("negate", &Segments::negate, false);
  }
};

// In place, any strides, scratch that must be zero: total += x, through scratch.
struct Accumulate {
  static constexpr const char* op = "probe_accumulate";
  Tensor x, total;
  Scratch scratch;

  static Contract contract() {
    return Contract(op, "total += x, and 1000 where scratch was not zero")
        .in("x", &Accumulate::x, {"rows", "cols"}, {DType::f32})
        .strided()
        .inout("total", &Accumulate::total, {"rows", "cols"}, "x")
        .scratch("scratch", &Accumulate::scratch);
  }
};

// Its launch fails as a wrong kernel's does.
struct Failing {
  static constexpr const char* op = "probe_failing";
  Tensor x, y;

  static Contract contract() {
    return Contract(op, "nothing: its launch has too many threads")
        .in("x", &Failing::x, {"n..."}, {DType::f32})
        .out("y", &Failing::y, {"n..."}, "x");
  }
};

// y = x, unless an x is negative: then the kernel never ends.
struct Waiting {
  static constexpr const char* op = "probe_waiting";
  Tensor x, y;

  static Contract contract() {
    return Contract(op, "y = x where no x is negative")
        .in("x", &Waiting::x, {"n..."}, {DType::f32})
        .out("y", &Waiting::y, {"n..."}, "x");
  }
};

// y = x * x * x, where y may be x; its gradient and a module on it are Python files of this folder.
struct Cube {
  static constexpr const char* op = "probe_cube";
  Tensor x, y;

  static Contract contract() {
    return Contract(op, "y = x * x * x")
        .in("x", &Cube::x, {"n..."}, {DType::f32})
        .out("y", &Cube::y, {"n..."}, "x")
        .in_place("x");
  }
};

// y = x by a rung that is said not to be deterministic, and no other is there.
struct Unordered {
  static constexpr const char* op = "probe_unordered";
  Tensor x, y;

  static Contract contract() {
    return Contract(op, "y = x, in no order")
        .in("x", &Unordered::x, {"n..."}, {DType::f32})
        .out("y", &Unordered::y, {"n..."}, "x");
  }
};

}  // namespace warpath::probe
