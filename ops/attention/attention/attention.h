// Scaled dot-product attention and its gradient, each head by itself:
//   s[i][j] = scale * q[i] . k[j], then softcap * tanh(s / softcap) where softcap is not 0
//   p[i][j] = exp(s[i][j] - lse[i]) for the keys that query i may see (visible.h), 0 for the others
//   o[i]    = sum over j of keep(i, j) * p[i][j] / (1 - dropout) * v[j]
//   lse[i]  = log of the sum of exp(s[i][j]) over those keys
// A query that may see no key has o = 0 and lse = -inf, and no gradient.
//
// A scale of 0 stands for 1 / sqrt(dim). Query head h reads key head h / (heads / kv_heads): grouped queries.
//
// q, k, v and o are (batch, sequence, heads, dim) by name; strides are free as long as dim is contiguous, so the
// transposed view of (batch, heads, sequence, dim) is the same call.
//
// With offsets, sequences lie one behind the other on the sequence axis of a single batch: sequence b has the
// queries from q_offsets[b] to q_offsets[b + 1] and the keys from k_offsets[b] to k_offsets[b + 1]. Rows outside of all
// sequences have o = 0 and lse = -inf.
//
// Dropout is the mask of the op of that name, computed and never stored: row is the query's row of lse, counted through
// (batch, heads, queries), j the key's number in its sequence:
//   words      = philox4x32-10(counter: low 64 bits row * 2^32 + j / 4, high 64 bits offset; key: seed)
//   keep(i, j) = words[j % 4] >= floor(dropout * 2^32)
#pragma once
#include "core/host/rung.h"

namespace warpath::attention {

struct Forward {
  static constexpr const char* op = "attention";
  Tensor q, k, v, q_offsets, k_offsets, o, lse;
  Scratch scratch;
  double scale = 0, softcap = 0, dropout = 0;
  bool causal = false;
  std::int64_t window = 0, seed = 0, offset = 0;

  static Contract contract() {
    return Contract(op, "o = softmax(scale * q k^T, masked) v, for each head")
        .in("q", &Forward::q, {"batch", "queries", "heads", "dim"},
            {DType::f32, DType::f16, DType::bf16})
        .strided()
        .in("k", &Forward::k, {"batch", "keys", "kv_heads", "dim"}, "q")
        .strided()
        .in("v", &Forward::v, {"batch", "keys", "kv_heads", "value_dim"}, "q")
        .strided()
        .in("q_offsets", &Forward::q_offsets, {"sequences+1"}, {DType::i32})
        .index()
        .optional()
        .in("k_offsets", &Forward::k_offsets, {"sequences+1"}, {DType::i32})
        .index()
        .optional()
        .out("o", &Forward::o, {"batch", "queries", "heads", "value_dim"}, "q")
        .out("lse", &Forward::lse, {"batch", "heads", "queries"}, {DType::f32})
        .real("scale", &Forward::scale, 0)
        .boolean("causal", &Forward::causal, false)
        .integer("window", &Forward::window, 0)
        .real("softcap", &Forward::softcap, 0)
        .real("dropout", &Forward::dropout, 0)
        .integer("seed", &Forward::seed, 0)
        .integer("offset", &Forward::offset, 0)
        .scratch("scratch", &Forward::scratch)
        .after({"softmax", "matmul"});
  }
};

// From o, lse and the gradient of o; `d_o` because `do` is a word of C++.
struct Backward {
  static constexpr const char* op = "attention_backward";
  Tensor d_o, q, k, v, o, lse, q_offsets, k_offsets, dq, dk, dv;
  Scratch scratch;
  double scale = 0, softcap = 0, dropout = 0;
  bool causal = false;
  std::int64_t window = 0, seed = 0, offset = 0;

  static Contract contract() {
    return Contract(op, "gradients of attention, the probabilities computed again from lse")
        .in("d_o", &Backward::d_o, {"batch", "queries", "heads", "value_dim"},
            {DType::f32, DType::f16, DType::bf16})
        .strided()
        .in("q", &Backward::q, {"batch", "queries", "heads", "dim"}, "d_o")
        .strided()
        .in("k", &Backward::k, {"batch", "keys", "kv_heads", "dim"}, "d_o")
        .strided()
        .in("v", &Backward::v, {"batch", "keys", "kv_heads", "value_dim"}, "d_o")
        .strided()
        .in("o", &Backward::o, {"batch", "queries", "heads", "value_dim"}, "d_o")
        .in("lse", &Backward::lse, {"batch", "heads", "queries"}, {DType::f32})
        .in("q_offsets", &Backward::q_offsets, {"sequences+1"}, {DType::i32})
        .index()
        .optional()
        .in("k_offsets", &Backward::k_offsets, {"sequences+1"}, {DType::i32})
        .index()
        .optional()
        .out("dq", &Backward::dq, {"batch", "queries", "heads", "dim"}, "d_o")
        .strided()
        .out("dk", &Backward::dk, {"batch", "keys", "kv_heads", "dim"}, "d_o")
        .strided()
        .out("dv", &Backward::dv, {"batch", "keys", "kv_heads", "value_dim"}, "d_o")
        .strided()
        .real("scale", &Backward::scale, 0)
        .boolean("causal", &Backward::causal, false)
        .integer("window", &Backward::window, 0)
        .real("softcap", &Backward::softcap, 0)
        .real("dropout", &Backward::dropout, 0)
        .integer("seed", &Backward::seed, 0)
        .integer("offset", &Backward::offset, 0)
        .scratch("scratch", &Backward::scratch);
  }
};

}  // namespace warpath::attention
