// Dropout with a mask that is computed, not stored, and its gradient.
//   forward:  y[i] = residual[i] + (keep(i) ? x[i] / (1 - p) : 0), residual optional
//   backward: dx[i] = keep(i) ? dy[i] / (1 - p) : 0
// The mask depends on seed, offset, p and the element's index in the tensor, and on nothing else:
//   words   = philox4x32-10(counter: low 64 bits i / 4, high 64 bits offset; key: seed)
//   keep(i) = words[i % 4] >= floor(p * 2^32), and never for p = 1
// So p is exact to 2^-32, and every pair of seed and offset has a mask of its own: give each call of
// a training run another pair, and its gradient the same one. A dropped element is 0 even where x is
// NaN or infinite; p = 1 drops all.
#pragma once
#include "core/host/rung.h"

namespace warpath::dropout {

struct Forward {
  static constexpr const char* op = "dropout";
  Tensor x, residual, y;
  double p = 0.5;
  std::int64_t seed = 0, offset = 0;

  static Contract contract() {
    return Contract(op,
                    "y = residual + dropout(x): each x is 0 with probability p, else x / (1 - p)")
        .in("x", &Forward::x, {"n..."}, {DType::f32, DType::f16, DType::bf16})
        .in("residual", &Forward::residual, {"n..."}, "x")
        .optional()
        .out("y", &Forward::y, {"n..."}, "x")
        .in_place("x")
        .real("p", &Forward::p, 0.5)
        .integer("seed", &Forward::seed, 0)
        .integer("offset", &Forward::offset, 0)
        .after({"vector_add"});
  }
};

struct Backward {
  static constexpr const char* op = "dropout_backward";
  Tensor dy, dx;
  double p = 0.5;
  std::int64_t seed = 0, offset = 0;

  static Contract contract() {
    return Contract(op, "dx = gradient of dropout from dy, its mask computed again")
        .in("dy", &Backward::dy, {"n..."}, {DType::f32, DType::f16, DType::bf16})
        .out("dx", &Backward::dx, {"n..."}, "dy")
        .in_place("dy")
        .real("p", &Backward::p, 0.5)
        .integer("seed", &Backward::seed, 0)
        .integer("offset", &Backward::offset, 0);
  }
};

}  // namespace warpath::dropout
