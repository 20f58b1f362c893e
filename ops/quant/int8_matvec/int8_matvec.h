// Weights in eight bits, one scale per row, and their product with a few rows of x.
//   int8_quantize:  scales[j] = max |w[j, :]| / 127
//                   codes[j, l] = 128 + w[j, l] * (127 / max(max |w[j, :]|, 2^-119)), rounded to the nearest, ties to even
//   int8_dequantize: w[j, l] = scales[j] (codes[j, l] - 128), rounded once
//   int8_matvec:    y[r, j] = scales[j] * sum_l x[r, l] (codes[j, l] - 128) + bias[j]
// A code is a signed byte with its top bit turned over, so it is never negative: 128 is zero. Quotients and products are
// rounded to float one by one, so codes do not depend on the kernel. Weights are finite. Sums are taken in float and y is
// rounded once.
#pragma once
#include "core/host/rung.h"

namespace warpath::int8_matvec {

struct Quantize {
  static constexpr const char* op = "int8_quantize";
  Tensor w, codes, scales;

  static Contract contract() {
    return Contract(op, "8-bit codes of w, one scale per row")
        .in("w", &Quantize::w, {"n", "k"}, {DType::f32, DType::f16, DType::bf16})
        .out("codes", &Quantize::codes, {"n", "k"}, {DType::u8})
        .index()
        .out("scales", &Quantize::scales, {"n"}, std::vector<DType>{DType::f32})
        .after({"softmax"});
  }

  std::int64_t n() const { return w.shape[0]; }
  std::int64_t k() const { return w.shape[1]; }
};

struct Dequantize {
  static constexpr const char* op = "int8_dequantize";
  Tensor codes, scales, w;

  static Contract contract() {
    return Contract(op, "w = the weights that 8-bit codes and the scales of their rows stand for")
        .in("codes", &Dequantize::codes, {"n", "k"}, {DType::u8})
        .index()
        .in("scales", &Dequantize::scales, {"n"}, {DType::f32})
        .out("w", &Dequantize::w, {"n", "k"}, {DType::f32, DType::f16, DType::bf16})
        .after({"int8_quantize"});
  }

  std::int64_t n() const { return w.shape[0]; }
  std::int64_t k() const { return w.shape[1]; }
};

struct Args {
  static constexpr const char* op = "int8_matvec";
  Tensor x, codes, scales, bias, y;

  static Contract contract() {
    return Contract(op, "y = x @ w^T + bias for few rows of x, w in 8 bits")
        .in("x", &Args::x, {"rows...", "k"}, {DType::f32, DType::f16, DType::bf16})
        .in("codes", &Args::codes, {"n", "k"}, {DType::u8})
        .index()
        .in("scales", &Args::scales, {"n"}, {DType::f32})
        .in("bias", &Args::bias, {"n"}, "x")
        .optional()
        .out("y", &Args::y, {"rows...", "n"}, "x")
        .after({"matvec", "int8_quantize"});
  }

  std::int64_t rows() const { return x.shape[0]; }
  std::int64_t k() const { return x.shape[1]; }
  std::int64_t n() const { return codes.shape[0]; }
};

}  // namespace warpath::int8_matvec
