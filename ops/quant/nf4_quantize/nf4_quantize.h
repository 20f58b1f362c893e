// Weights to 4 bits and back: NF4 with double quantisation, as QLoRA has it. The format is described in nf4.h; it is that
// of bitsandbytes' 4-bit files, so codes, absmax and scales are theirs byte for byte: the weights of a matrix in rows, seen as
// blocks of 64. A weight matrix of n x k is given as (n, k / 64, 64), which is a free view; k is a multiple of 64.
//   a[b]      = max |w[b, :]|
//   code      = how many of the fifteen midpoints of neighbouring values lie below w / max(a[b], 2^-126)
//   offset    = mean of a, summed in double
//   scales[g] = max |a[b] - offset| over the 256 blocks of the group
//   absmax[b] = the same of the map's 255 midpoints, for (a[b] - offset) / max(scales[g], 2^-126)
// Quotients are products with a reciprocal, both rounded to float, so the codes of a weight do not depend on the kernel. Back:
//   w = values[code] * (map[absmax] * scales[g] + offset), rounded once
// `groups` is the number of scales, one per 256 blocks, rounded up. Weights are finite.
#pragma once
#include <string>

#include "core/host/error.h"
#include "core/host/rung.h"
#include "ops/quant/nf4.h"

namespace warpath::nf4_quantize {

struct Quantize {
  static constexpr const char* op = "nf4_quantize";
  Tensor w, codes, absmax, scales, offset;
  std::int64_t groups = 0;
  Scratch scratch;

  static Contract contract() {
    return Contract(op, "4-bit codes of w, 8-bit maxima of its blocks of 64, their scales and mean")
        .in("w", &Quantize::w, {"blocks...", "64"}, {DType::f32, DType::f16, DType::bf16})
        .out("codes", &Quantize::codes, {"blocks...", "32"}, {DType::u8})
        .index()
        .out("absmax", &Quantize::absmax, {"blocks..."}, {DType::u8})
        .index()
        .out("scales", &Quantize::scales, {"groups"}, std::vector<DType>{DType::f32})
        .out("offset", &Quantize::offset, {"1"}, std::vector<DType>{DType::f32})
        .integer("groups", &Quantize::groups, 0)
        .scratch("scratch", &Quantize::scratch)
        .after({"softmax"});
  }

  std::int64_t blocks() const { return w.shape[0]; }
};

struct Dequantize {
  static constexpr const char* op = "nf4_dequantize";
  Tensor codes, absmax, scales, offset, w;

  static Contract contract() {
    return Contract(op,
                    "w = the weights that NF4 codes and their doubly quantised maxima stand for")
        .in("codes", &Dequantize::codes, {"blocks...", "32"}, {DType::u8})
        .index()
        .in("absmax", &Dequantize::absmax, {"blocks..."}, {DType::u8})
        .index()
        .in("scales", &Dequantize::scales, {"groups"}, {DType::f32})
        .in("offset", &Dequantize::offset, {"1"}, {DType::f32})
        .out("w", &Dequantize::w, {"blocks...", "64"}, {DType::f32, DType::f16, DType::bf16})
        .after({"nf4_quantize"});
  }

  std::int64_t blocks() const { return w.shape[0]; }
};

template <class Args>
void check_groups(const Args& args) {
  const std::int64_t blocks = args.blocks(), groups = nf4::groups_of(blocks);
  const std::string what = std::string(Args::op) == Quantize::op ? "groups" : "scales";
  WARPATH_CHECK(args.scales.shape[0] == groups, std::string(Args::op) + ": " + what + " must be " +
                                                    std::to_string(groups) + ", one per 256 of " +
                                                    std::to_string(blocks) + " blocks, not " +
                                                    std::to_string(args.scales.shape[0]));
}

}  // namespace warpath::nf4_quantize
