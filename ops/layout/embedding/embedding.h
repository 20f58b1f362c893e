// Rows of a table by index, and the gradient of the table.
//   forward:  y[t] = table[ids[t]] (+ position_table[positions[t]])
//   backward: dtable[v] = sum of dy[t] over all t with ids[t] == v
// Without `positions`, the position of a token is its place in its sequence, the last axis of ids. The sum of two rows
// is taken in float and rounded once. The row `padding_idx` of dtable is zero, as in PyTorch; rows that no id names are
// zero too. Every id must be inside its table, and every position too: a kernel does not check them. On the CPU,
// `check --sanitize` reports a read outside of the table.
#pragma once
#include "core/host/error.h"
#include "core/host/rung.h"

namespace warpath::embedding {

struct Forward {
  static constexpr const char* op = "embedding";
  Tensor table, ids, position_table, positions, y;
  std::int64_t padding_idx = -1;

  static Contract contract() {
    return Contract(op, "y = table[ids] (+ position_table[positions])")
        .in("table", &Forward::table, {"vocabulary", "width"},
            {DType::f32, DType::f16, DType::bf16})
        .in("ids", &Forward::ids, {"batch...", "seq"}, {DType::i64, DType::i32})
        .index()
        .in("position_table", &Forward::position_table, {"context", "width"}, "table")
        .optional()
        .in("positions", &Forward::positions, {"batch...", "seq"}, "ids")
        .index()
        .optional()
        .out("y", &Forward::y, {"batch...", "seq", "width"}, "table")
        .integer("padding_idx", &Forward::padding_idx, -1)  // of the gradient alone
        .after({"transpose"});
  }
};

// The gradient of one table; that of the position table comes from the same op, with positions as ids.
struct Backward {
  static constexpr const char* op = "embedding_backward";
  Tensor dy, ids, table, dtable;
  std::int64_t padding_idx = -1;
  Scratch scratch;

  static Contract contract() {
    return Contract(op, "dtable = for each row, the sum of the dy whose id it is")
        .in("dy", &Backward::dy, {"batch...", "seq", "width"},
            {DType::f32, DType::f16, DType::bf16})
        .in("ids", &Backward::ids, {"batch...", "seq"}, {DType::i64, DType::i32})
        .index()
        .in("table", &Backward::table, {"vocabulary", "width"}, "dy")  // its shape alone
        .out("dtable", &Backward::dtable, {"vocabulary", "width"}, "dy")
        .integer("padding_idx", &Backward::padding_idx, -1)
        .scratch("scratch", &Backward::scratch)
        .after({"embedding"});
  }
};

// What the contract cannot say about the position tensors.
inline void check_positions(const Forward& args) {
  const bool table = args.position_table.rank > 0, given = args.positions.rank > 0;
  WARPATH_CHECK(table || !given, "embedding: argument 'positions' needs a 'position_table'");
  WARPATH_CHECK(!table || given || args.ids.shape[1] <= args.position_table.shape[0],
                "embedding: the sequences are longer than the 'position_table'");
}

}  // namespace warpath::embedding
