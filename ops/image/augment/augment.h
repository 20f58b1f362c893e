// What a data loader does to training images, for a whole batch in one pass: crop, flip, rotate, change the colours,
// normalise, cut out. Bytes of packed RGB in, normalised planes out; every image has parameters of its own, drawn by Philox
// from seed, offset and the image's place in the batch (see draws.h).
//   y[b, c, i, j] = 0 inside the square that is cut out, else (colour(source) / 255 - mean[c]) / std[c]
//   source: (i, j), mirrored left to right with probability `flip`; turned about the middle of the result by an angle up to
//           `rotation` degrees either way, then between four pixels (bilinear); moved by the crop's corner. Past the image,
//           padding included, there are zeros.
//   colour: times brightness; about 0.5 by contrast; between its grey and itself by saturation; after each of the three
//           kept between 0 and 1. A strength s draws a factor from 1 - s to 1 + s.
// The crop's corner is drawn among all places at which the result fits into the image and `padding` pixels around it. Crop,
// flip, normalisation and a square that is cut out are those of torchvision. `like` gives the height and width of the
// result and is not read.
#pragma once
#include "core/host/error.h"
#include "core/host/rung.h"

namespace warpath::augment {

struct Args {
  static constexpr const char* op = "augment";
  Tensor x, like, mean, std, y;
  std::int64_t padding = 0, cut = 0, seed = 0, offset = 0;
  double flip = 0.5, rotation = 0, brightness = 0, contrast = 0, saturation = 0;

  static Contract contract() {
    return Contract(op,
                    "y = crops of x, flipped, turned, coloured, normalised, each image its own way")
        .in("x", &Args::x, {"batch", "height", "width", "3"}, {DType::u8})
        .in("like", &Args::like, {"out_height", "out_width"}, {DType::f32})
        .strided()
        .in("mean", &Args::mean, {"3"}, {DType::f32})
        .in("std", &Args::std, {"3"}, {DType::f32})
        .out("y", &Args::y, {"batch", "3", "out_height", "out_width"},
             {DType::f32, DType::f16, DType::bf16})
        .integer("padding", &Args::padding, 0)
        .real("flip", &Args::flip, 0.5)
        .real("rotation", &Args::rotation, 0)
        .real("brightness", &Args::brightness, 0)
        .real("contrast", &Args::contrast, 0)
        .real("saturation", &Args::saturation, 0)
        .integer("cut", &Args::cut, 0)
        .integer("seed", &Args::seed, 0)
        .integer("offset", &Args::offset, 0)
        .after({"noise", "grayscale"});
  }
};

inline void check_strengths(const Args& args) {
  const auto unit = [](double x) { return x >= 0 && x <= 1; };
  WARPATH_CHECK(unit(args.flip), "augment: flip must be between 0 and 1");
  WARPATH_CHECK(unit(args.brightness) && unit(args.contrast) && unit(args.saturation),
                "augment: brightness, contrast and saturation must be between 0 and 1");
  WARPATH_CHECK(args.padding >= 0 && args.cut >= 0,
                "augment: padding and cut must not be negative");
  WARPATH_CHECK(args.like.shape[0] <= args.x.shape[1] + 2 * args.padding &&
                    args.like.shape[1] <= args.x.shape[2] + 2 * args.padding,
                "augment: argument 'like' must not be larger than the image and its padding");
}

}  // namespace warpath::augment
