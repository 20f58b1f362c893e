// A blur of images: every pixel becomes the weighted mean of the size * size pixels around it, each channel on its own.
//   box:      all weights equal
//   gaussian: exp(-d^2 / (2 sigma^2)) along each axis, scaled to the sum 1; sigma = 0 stands for
//             0.3 ((size - 1) / 2 - 1) + 0.8, what OpenCV and torchvision take
// Past the border: reflect (d c b | a b c d | c b a), clamp (a a a | a b c d | d d d) or zero.
// x is (…, height, width, channels), packed pixels; planes are images of one channel, x.unsqueeze(-1).
// Bytes are computed in integers, so that the order of the sums makes no difference: a box is
// (sum + size^2 / 2) / size^2, rounded down; a Gaussian has weights in units of 1 / 4096 along each axis (see weights.h), and
// half a unit is added before the last shift. Other types are summed in float and rounded once.
#pragma once
#include "core/host/error.h"
#include "core/host/rung.h"

namespace warpath::blur {

enum class Kind : int { box, gaussian };
enum class Border : int { reflect, clamp, zero };

inline constexpr std::int64_t most_size = 127;

struct Args {
  static constexpr const char* op = "blur";
  Tensor x, y;
  std::int64_t size = 5;
  Kind kind = Kind::gaussian;
  double sigma = 0;
  Border border = Border::reflect;
  Scratch scratch;

  static Contract contract() {
    return Contract(op,
                    "y = the mean of the size x size pixels around each, by a box or a Gaussian")
        .in("x", &Args::x, {"images...", "height", "width", "channels"},
            {DType::u8, DType::f32, DType::f16, DType::bf16})
        .out("y", &Args::y, {"images...", "height", "width", "channels"}, "x")
        .integer("size", &Args::size, 5)
        .choice("kind", &Args::kind, {"box", "gaussian"}, Kind::gaussian)
        .real("sigma", &Args::sigma, 0)
        .choice("border", &Args::border, {"reflect", "clamp", "zero"})
        .scratch("scratch", &Args::scratch)
        .after({"grayscale"});
  }
};

inline void check_size(const Args& args) {
  WARPATH_CHECK(args.size > 0 && args.size % 2 == 1 && args.size <= most_size,
                "blur: size must be odd, from 1 to 127");
  WARPATH_CHECK(args.sigma >= 0, "blur: sigma must not be negative");
}

}  // namespace warpath::blur
