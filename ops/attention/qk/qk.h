// The scores of attention, each head by itself: scores[b][h][i][j] = scale * q[b][i][h] . k[b][j][h], the einsum
// "bqhd,bkhd->bhqk". With causal, query i of n sees no key behind its position i + keys - n: those scores are -inf.
// A scale of 0 stands for 1 / sqrt(dim). Query head h reads key head h / (heads / kv_heads): grouped queries.
#pragma once
#include "core/host/rung.h"

namespace warpath::qk {

struct Args {
  static constexpr const char* op = "qk";
  Tensor q, k, scores;
  double scale = 0;
  bool causal = false;

  static Contract contract() {
    return Contract(op, "scores = scale * q k^T for each head, masked")
        .in("q", &Args::q, {"batch", "queries", "heads", "dim"},
            {DType::f32, DType::f16, DType::bf16})
        .in("k", &Args::k, {"batch", "keys", "kv_heads", "dim"}, "q")
        .out("scores", &Args::scores, {"batch", "heads", "queries", "keys"}, "q")
        .real("scale", &Args::scale, 0)
        .boolean("causal", &Args::causal, false)
        .after({"matmul"});
  }
};

}  // namespace warpath::qk
