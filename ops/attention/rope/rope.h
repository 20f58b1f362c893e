// Rotary position embedding of queries and keys, and its gradient.
// Pair i of every head is turned by an angle that grows with the token's position:
//   (a, b) -> (a cos - b sin, b cos + a sin),   angle = position * frequency(i)
//   frequency(i) = base^(-2 i / rotary_dim)
//   pairs "halves":     elements i and i + rotary_dim / 2 (GPT-NeoX, Llama as Hugging Face has it)
//   pairs "neighbours": elements 2 i and 2 i + 1 (the paper, GPT-J, Llama as Meta has it)
// Elements from rotary_dim on pass unchanged; 0 stands for all of dim. Without positions a token's
// position is its index on the sequence axis.
//
// Llama 3's scaling for longer texts, none while factor is 1: with t = original_max_position *
// frequency / 2 pi turns in the text the model was first trained on, frequencies of t >= high_freq_factor stay,
// those of t <= low_freq_factor are divided by factor, and those between are blended.
//
// The gradient turns back: the same rotation by the negative angle.
#pragma once
#include "core/host/rung.h"

namespace warpath::rope {

enum class Pairs : int { halves, neighbours };

struct Forward {
  static constexpr const char* op = "rope";
  Tensor q, k, positions, q_out, k_out;
  Pairs pairs = Pairs::halves;
  std::int64_t rotary_dim = 0;
  double base = 10000, factor = 1, low_freq_factor = 1, high_freq_factor = 4;
  std::int64_t original_max_position = 8192;

  static Contract contract() {
    return Contract(op, "q and k with each pair of elements turned by its token's position")
        .in("q", &Forward::q, {"batch...", "sequence", "heads", "dim"},
            {DType::f32, DType::f16, DType::bf16})
        .in("k", &Forward::k, {"batch...", "sequence", "kv_heads", "dim"}, "q")
        .optional()
        .in("positions", &Forward::positions, {"batch...", "sequence"}, {DType::i64})
        .index()
        .optional()
        .out("q_out", &Forward::q_out, {"batch...", "sequence", "heads", "dim"}, "q")
        .in_place("q")
        .out("k_out", &Forward::k_out, {"batch...", "sequence", "kv_heads", "dim"}, "q")
        .in_place("k")
        .optional()
        .choice("pairs", &Forward::pairs, {"halves", "neighbours"})
        .integer("rotary_dim", &Forward::rotary_dim, 0)
        .real("base", &Forward::base, 10000)
        .real("factor", &Forward::factor, 1)
        .real("low_freq_factor", &Forward::low_freq_factor, 1)
        .real("high_freq_factor", &Forward::high_freq_factor, 4)
        .integer("original_max_position", &Forward::original_max_position, 8192)
        .after({"rms_norm"});
  }
};

struct Backward {
  static constexpr const char* op = "rope_backward";
  Tensor dq_out, dk_out, positions, dq, dk;
  Pairs pairs = Pairs::halves;
  std::int64_t rotary_dim = 0;
  double base = 10000, factor = 1, low_freq_factor = 1, high_freq_factor = 4;
  std::int64_t original_max_position = 8192;

  static Contract contract() {
    return Contract(op, "gradients of rope: each pair turned back")
        .in("dq_out", &Backward::dq_out, {"batch...", "sequence", "heads", "dim"},
            {DType::f32, DType::f16, DType::bf16})
        .in("dk_out", &Backward::dk_out, {"batch...", "sequence", "kv_heads", "dim"}, "dq_out")
        .optional()
        .in("positions", &Backward::positions, {"batch...", "sequence"}, {DType::i64})
        .index()
        .optional()
        .out("dq", &Backward::dq, {"batch...", "sequence", "heads", "dim"}, "dq_out")
        .in_place("dq_out")
        .out("dk", &Backward::dk, {"batch...", "sequence", "kv_heads", "dim"}, "dq_out")
        .in_place("dk_out")
        .optional()
        .choice("pairs", &Backward::pairs, {"halves", "neighbours"})
        .integer("rotary_dim", &Backward::rotary_dim, 0)
        .real("base", &Backward::base, 10000)
        .real("factor", &Backward::factor, 1)
        .real("low_freq_factor", &Backward::low_freq_factor, 1)
        .real("high_freq_factor", &Backward::high_freq_factor, 4)
        .integer("original_max_position", &Backward::original_max_position, 8192);
  }
};

}  // namespace warpath::rope
