// y = x @ w^T + bias, w in NF4 with double quantisation: a linear layer of a quantised model while it writes one token after
// the other.
//   y[r, j] = sum_l x[r, l] w[j, l] + bias[j],  w[j, l] = values[code] * (map[absmax] * scale + offset)
// codes, absmax, scales and offset are as nf4_quantize makes them of w seen as (n, blocks, 64), k = 64 blocks; the format is
// described in nf4.h. Weights are expanded in float and never rounded to the type of x; sums are taken in float and y is
// rounded once.
#pragma once
#include <string>

#include "core/host/error.h"
#include "core/host/rung.h"
#include "ops/quant/nf4.h"

namespace warpath::nf4_matmul {

struct Args {
  static constexpr const char* op = "nf4_matmul";
  Tensor x, codes, absmax, scales, offset, bias, y;

  static Contract contract() {
    return Contract(op, "y = x @ w^T + bias for few rows of x, w in NF4")
        .in("x", &Args::x, {"rows...", "k"}, {DType::f32, DType::f16, DType::bf16})
        .in("codes", &Args::codes, {"n", "blocks", "32"}, {DType::u8})
        .index()
        .in("absmax", &Args::absmax, {"n", "blocks"}, {DType::u8})
        .index()
        .in("scales", &Args::scales, {"groups"}, {DType::f32})
        .in("offset", &Args::offset, {"1"}, {DType::f32})
        .in("bias", &Args::bias, {"n"}, "x")
        .optional()
        .out("y", &Args::y, {"rows...", "n"}, "x")
        .after({"matvec", "nf4_quantize"});
  }

  std::int64_t rows() const { return x.shape[0]; }
  std::int64_t k() const { return x.shape[1]; }
  std::int64_t n() const { return codes.shape[0]; }
  std::int64_t blocks() const { return codes.shape[1]; }  // of a row of w
};

inline void check_sizes(const Args& args) {
  WARPATH_CHECK(args.k() == args.blocks() * nf4::block,
                "nf4_matmul: argument 'x' has k = " + std::to_string(args.k()) +
                    ", but 'codes' has rows of " + std::to_string(args.blocks()) +
                    " blocks of 64 weights");
  const std::int64_t groups = nf4::groups_of(args.n() * args.blocks());
  WARPATH_CHECK(args.scales.shape[0] == groups,
                "nf4_matmul: argument 'scales' has " + std::to_string(args.scales.shape[0]) +
                    " scales; w has " + std::to_string(groups) + " groups of 256 blocks");
}

}  // namespace warpath::nf4_matmul
