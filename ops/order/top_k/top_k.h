// The k largest (or smallest) elements of each row, and their columns.
//   forward:  values[r, j] = x[r, indices[r, j]], the j-th best of row r
//   backward: dx[r, indices[r, j]] = dy[r, j], zero elsewhere
// Of equal elements the one in the lower column is better; -0 equals 0. NaN is larger than every number, as in PyTorch: the
// first of the largest, the last of the smallest. With sorted = false the same elements come in the order of their columns.
#pragma once
#include "core/host/error.h"
#include "core/host/rung.h"

namespace warpath::top_k {

enum class Side : int { largest, smallest };

struct Forward {
  static constexpr const char* op = "top_k";
  Tensor x, values, indices;
  std::int64_t k = 1;
  Side side = Side::largest;
  bool sorted = true;
  Scratch scratch;

  static Contract contract() {
    return Contract(op, "the k largest or smallest of each row of x, and their columns")
        .in("x", &Forward::x, {"rows...", "cols"}, {DType::f32, DType::f16, DType::bf16})
        .out("values", &Forward::values, {"rows...", "k"}, "x")
        .out("indices", &Forward::indices, {"rows...", "k"}, {DType::i64})
        .index()
        .integer("k", &Forward::k, 1)
        .choice("side", &Forward::side, {"largest", "smallest"})
        .boolean("sorted", &Forward::sorted, true)
        .scratch("scratch", &Forward::scratch)
        .after({"reduce"});
  }
};

// The columns of one row must differ, as those of top_k do.
struct Backward {
  static constexpr const char* op = "top_k_backward";
  Tensor dy, indices, dx;
  std::int64_t cols = 1;

  static Contract contract() {
    return Contract(op, "dx = dy at the columns that top_k chose, zero elsewhere")
        .in("dy", &Backward::dy, {"rows...", "k"}, {DType::f32, DType::f16, DType::bf16})
        .in("indices", &Backward::indices, {"rows...", "k"}, {DType::i64})
        .index()
        .out("dx", &Backward::dx, {"rows...", "cols"}, "dy")
        .integer("cols", &Backward::cols, 1)
        .after({"top_k"});
  }
};

// What the contract cannot say.
inline void check_k(const Forward& args) {
  WARPATH_CHECK(args.k <= args.x.shape[1], "top_k: argument 'k' is larger than a row of 'x'");
}

}  // namespace warpath::top_k
