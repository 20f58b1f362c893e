// y[s] = the sum, the mean or the maximum of rows offsets[s] to offsets[s + 1] of x: segments of any length in one tensor.
// Offsets ascend and lie in [0, n]; equal ones make an empty segment, whose sum is 0, whose mean is NaN and whose maximum
// is -inf. Rows before the first and after the last offset are in no segment. Sums are taken in float and rounded once; a
// maximum passes NaN on. Columns are independent of each other.
//   segment_sum        segments by offsets: their rows lie together
//   segment_sum_by_id  segments by ids, in any order: row r is in segment ids[r], in none where that is not in [0, segments)
// Backward, dx[r] for a row r of segment s, zero for a row in no segment:
//   sum   dy[s]
//   mean  dy[s] / the number of its rows
//   max   dy[s] / how many of its rows have the maximum, for those that have it; `x` and `y` are needed to know
#pragma once
#include "core/host/error.h"
#include "core/host/rung.h"

namespace warpath::segment_sum {

enum class Kind : int { sum, mean, max };

struct Args {
  static constexpr const char* op = "segment_sum";
  Tensor x, offsets, y;
  Kind kind = Kind::sum;
  Scratch scratch;

  static Contract contract() {
    return Contract(op, "y = sum, mean or max of the rows of each segment of x")
        .in("x", &Args::x, {"n", "cols"}, {DType::f32, DType::f16, DType::bf16})
        .in("offsets", &Args::offsets, {"segments+1"}, {DType::i64, DType::i32})
        .index()
        .out("y", &Args::y, {"segments", "cols"}, "x")
        .choice("kind", &Args::kind, {"sum", "mean", "max"})
        .scratch("scratch", &Args::scratch)
        .after({"reduce", "histogram"});
  }
};

struct ById {
  static constexpr const char* op = "segment_sum_by_id";
  Tensor x, ids, y;
  std::int64_t segments = 1;
  Kind kind = Kind::sum;
  Scratch scratch;

  static Contract contract() {
    return Contract(op, "y = sum, mean or max of the rows of x that have each id")
        .in("x", &ById::x, {"n", "cols"}, {DType::f32, DType::f16, DType::bf16})
        .in("ids", &ById::ids, {"n"}, {DType::i64, DType::i32})
        .index()
        .out("y", &ById::y, {"segments", "cols"}, "x")
        .integer("segments", &ById::segments, 1)
        .choice("kind", &ById::kind, {"sum", "mean", "max"})
        .scratch("scratch", &ById::scratch)
        .after({"segment_sum"});
  }
};

struct Backward {
  static constexpr const char* op = "segment_sum_backward";
  Tensor dy, offsets, x, y, dx;
  std::int64_t n = 1;
  Kind kind = Kind::sum;
  Scratch scratch;

  static Contract contract() {
    return Contract(op, "dx = the gradient of each row's segment")
        .in("dy", &Backward::dy, {"segments", "cols"}, {DType::f32, DType::f16, DType::bf16})
        .in("offsets", &Backward::offsets, {"segments+1"}, {DType::i64, DType::i32})
        .index()
        .in("x", &Backward::x, {"n", "cols"}, "dy")
        .optional()
        .in("y", &Backward::y, {"segments", "cols"}, "dy")
        .optional()
        .out("dx", &Backward::dx, {"n", "cols"}, "dy")
        .integer("n", &Backward::n, 1)
        .choice("kind", &Backward::kind, {"sum", "mean", "max"})
        .scratch("scratch", &Backward::scratch)
        .after({"segment_sum"});
  }
};

struct ByIdBackward {
  static constexpr const char* op = "segment_sum_by_id_backward";
  Tensor dy, ids, x, y, dx;
  Kind kind = Kind::sum;
  Scratch scratch;

  static Contract contract() {
    return Contract(op, "dx = the gradient of the segment that each row's id names")
        .in("dy", &ByIdBackward::dy, {"segments", "cols"}, {DType::f32, DType::f16, DType::bf16})
        .in("ids", &ByIdBackward::ids, {"n"}, {DType::i64, DType::i32})
        .index()
        .in("x", &ByIdBackward::x, {"n", "cols"}, "dy")
        .optional()
        .in("y", &ByIdBackward::y, {"segments", "cols"}, "dy")
        .optional()
        .out("dx", &ByIdBackward::dx, {"n", "cols"}, "dy")
        .choice("kind", &ByIdBackward::kind, {"sum", "mean", "max"})
        .scratch("scratch", &ByIdBackward::scratch)
        .after({"segment_sum_by_id", "segment_sum_backward"});
  }
};

// What the contract cannot say.
template <class Args>
void check_max(const Args& args) {
  WARPATH_CHECK(args.kind != Kind::max || (args.x.rank > 0 && args.y.rank > 0),
                std::string(Args::op) + ": the gradient of a maximum needs 'x' and 'y'");
}

}  // namespace warpath::segment_sum
