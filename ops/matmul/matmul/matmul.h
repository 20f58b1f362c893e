// d = activation(alpha * a @ b + beta * c + bias), for a batch of matrices.
//   d[i, j] = activation(alpha * sum_l a[i, l] b[l, j] + beta * c[i, j] + bias[j])
// c (a residual, or what to add to) and bias may be left out; c is not read where beta is 0. Sums
// are taken in float and d is rounded once. a, b and c may have any strides: the transpose of a
// matrix is the same memory with its two strides exchanged, and a batch stride of 0 uses one matrix
// for all. gelu is the form with tanh, as torch's gelu(approximate="tanh") and cuBLASLt have it:
//   x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3)))
#pragma once
#include "core/host/rung.h"

namespace warpath::matmul {

enum class Activation : int { none, relu, gelu, silu };

struct Args {
  static constexpr const char* op = "matmul";
  Tensor a, b, c, bias, d;
  double alpha = 1, beta = 1;
  Activation activation = Activation::none;
  bool tf32 = false;  // inputs in f32 may be rounded to tf32: 10 bits of fraction
  Scratch scratch;

  static Contract contract() {
    const std::vector<DType> floats = {DType::f32, DType::f16, DType::bf16};
    return Contract(op, "d = activation(alpha * a @ b + beta * c + bias)")
        .in("a", &Args::a, {"batch...", "m", "k"}, floats)
        .strided()
        .in("b", &Args::b, {"batch...", "k", "n"}, "a")
        .strided()
        .in("c", &Args::c, {"batch...", "m", "n"}, "d")
        .optional()
        .strided()
        .in("bias", &Args::bias, {"n"}, "a")
        .optional()
        .out("d", &Args::d, {"batch...", "m", "n"}, floats)
        .real("alpha", &Args::alpha, 1)
        .real("beta", &Args::beta, 1)
        .choice("activation", &Args::activation, {"none", "relu", "gelu", "silu"})
        .boolean("tf32", &Args::tf32, false)
        .scratch("scratch", &Args::scratch)
        .after({"softmax"});
  }

  std::int64_t batch() const { return d.shape[0]; }
  std::int64_t m() const { return d.shape[1]; }
  std::int64_t n() const { return d.shape[2]; }
  std::int64_t k() const { return a.shape[2]; }
  bool has_c() const { return c.data != nullptr && beta != 0; }
  bool has_bias() const { return bias.data != nullptr; }
};

}  // namespace warpath::matmul
