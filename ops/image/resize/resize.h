// Images of another size, by bilinear interpolation: every output is a weighted mean of the pixels near its place.
// Pixels are squares with their value in the middle, as in torch's interpolate with align_corners=False. Along one axis, of
// `in` pixels and `out` results, the middle of result o lies at (2 o + 1) in / (2 out), and pixel j has the weight
//   max(0, reach - |(2 j + 1) out - (2 o + 1) in|),  reach = 2 out, or with antialias 2 max(in, out)
// divided by the sum of them: whole numbers, so the weights are exact. Without antialias these are the two nearest pixels;
// with it, a result that stands for many pixels is the mean of all of them, as antialias=True is in torch. Enlarging is the
// same with and without.
// x is (…, height, width, channels), packed pixels; planes are images of one channel, x.unsqueeze(-1). `like` gives the height and
// width of the result and is not read. Bytes have weights in units of 1 / 4096 along each axis (see weights.h) and are rounded once;
// other types are computed in float.
#pragma once
#include "core/host/error.h"
#include "core/host/rung.h"

namespace warpath::resize {

struct Args {
  static constexpr const char* op = "resize";
  Tensor x, like, y;
  bool antialias = true;
  Scratch scratch;

  static Contract contract() {
    return Contract(op, "y = x at the height and width of `like`, by bilinear interpolation")
        .in("x", &Args::x, {"images...", "height", "width", "channels"},
            {DType::u8, DType::f32, DType::f16, DType::bf16})
        .in("like", &Args::like, {"out_height", "out_width"}, {DType::f32})
        .strided()
        .out("y", &Args::y, {"images...", "out_height", "out_width", "channels"}, "x")
        .boolean("antialias", &Args::antialias, true)
        .scratch("scratch", &Args::scratch)
        .after({"blur"});
  }
};

inline void check_sizes(const Args& args) {
  const auto small = [](std::int64_t n) { return n < 1 << 20; };
  WARPATH_CHECK(args.y.size() == 0 || args.x.size() > 0, "resize: argument 'x' has no pixels");
  WARPATH_CHECK(small(args.x.shape[1]) && small(args.x.shape[2]) && small(args.y.shape[1]) &&
                    small(args.y.shape[2]),
                "resize: heights and widths must be less than 2^20");
}

}  // namespace warpath::resize
