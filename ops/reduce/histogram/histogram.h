// y[b] = how many elements of x are in bin b: edges[b] <= x < edges[b + 1]; the last bin has its upper edge too. What is
// outside of all bins is not counted, nor is NaN. Integers are compared with the edges as floats.
//
// With spacing "uniform" only the first and the last edge are read, and an element's bin is computed in float:
//   int((x - first) * (bins / (last - first)))        at most bins - 1
// With "any", the edges must ascend; equal neighbours make an empty bin.
#pragma once
#include "core/host/rung.h"

namespace warpath::histogram {

enum class Spacing : int { uniform, any };

struct Args {
  static constexpr const char* op = "histogram";
  Tensor x, edges, y;
  Spacing spacing = Spacing::uniform;
  Scratch scratch;

  static Contract contract() {
    return Contract(op, "y = how many elements of x are between each two edges")
        .in("x", &Args::x, {"n..."}, {DType::f32, DType::i32, DType::u8})
        .in("edges", &Args::edges, {"bins+1"}, std::vector<DType>{DType::f32})
        .out("y", &Args::y, {"bins"}, std::vector<DType>{DType::i64})
        .index()
        .choice("spacing", &Args::spacing, {"uniform", "any"})
        .scratch("scratch", &Args::scratch)
        .after({"reduce", "global_avg_pool"});
  }
};

}  // namespace warpath::histogram
