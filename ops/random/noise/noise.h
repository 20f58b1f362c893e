// Random numbers by Philox: y[i] = shift + scale * draw(i), for a tensor of the shape and type of `like`.
// A draw depends on seed, offset and the element's index in the tensor, and on nothing else:
//   words = philox4x32-10(counter: low 64 bits i / 4, high 64 bits offset; key: seed)
//   uniform:   in [0, 1), the leading binary digits of words[i % 4], as many as the type holds (24, 11, 8)
//   bernoulli: words[i % 4] < floor(p * 2^32) ? 1 : 0, and always 1 for p = 1
//   normal:    Box and Muller's pairs, elements 0 and 1 of a call from words 0 and 1, elements 2 and 3 from words 2, 3:
//              r = sqrt(-2 ln(u)), u in (0, 1] from the first word; r cos(t) and r sin(t), t in [-pi, pi] from the second
// Every pair of seed and offset is a stream of its own. The sum and the product are taken in float.
#pragma once
#include "core/host/error.h"
#include "core/host/rung.h"

namespace warpath::noise {

enum class Distribution : int { normal, uniform, bernoulli };

struct Args {
  static constexpr const char* op = "noise";
  Tensor like, y;
  Distribution distribution = Distribution::normal;
  double scale = 1, shift = 0, p = 0.5;
  std::int64_t seed = 0, offset = 0;

  static Contract contract() {
    return Contract(op, "y = shift + scale * random numbers by seed and offset, shaped as `like`")
        .in("like", &Args::like, {"n..."}, {DType::f32, DType::f16, DType::bf16})  // is not read
        .out("y", &Args::y, {"n..."}, "like")
        .in_place("like")
        .choice("distribution", &Args::distribution, {"normal", "uniform", "bernoulli"})
        .real("scale", &Args::scale, 1)
        .real("shift", &Args::shift, 0)
        .real("p", &Args::p, 0.5)  // of bernoulli alone
        .integer("seed", &Args::seed, 0)
        .integer("offset", &Args::offset, 0)
        .after({"dropout"});
  }
};

}  // namespace warpath::noise
