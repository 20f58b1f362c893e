// Images to patches, the tokens of a vision transformer, and back.
//   patchify:   y[b, r, s, c, h, w] = x[b, c, r, h, s, w]
//   unpatchify: x[b, c, r, h, s, w] = y[b, r, s, c, h, w]
// The six axes of x are those of an image tensor (batch, channels, rows * height, cols * width), seen as rows times cols
// patches of height times width pixels; the six axes of y are (batch, tokens, features) of a patch embedding, features in
// the order (channels, height, width) of a convolution's weight. Both views are free:
//   images.view(B, C, H / P, P, W / P, P), and tokens.view(B, H / P, W / P, C, P, P)
// Each op is the gradient of the other one. Values are copied as they are.
#pragma once
#include "core/host/rung.h"

namespace warpath::patchify {

struct Forward {
  static constexpr const char* op = "patchify";
  Tensor x, y;

  static Contract contract() {
    return Contract(op, "y = images cut into patches: each patch is a row of its channels' pixels")
        .in("x", &Forward::x, {"batch", "channels", "rows", "height", "cols", "width"},
            {DType::f32, DType::f16, DType::bf16})
        .out("y", &Forward::y, {"batch", "rows", "cols", "channels", "height", "width"}, "x")
        .after({"transpose"});
  }
};

struct Backward {
  static constexpr const char* op = "unpatchify";
  Tensor y, x;

  static Contract contract() {
    return Contract(op, "x = images put together from their patches")
        .in("y", &Backward::y, {"batch", "rows", "cols", "channels", "height", "width"},
            {DType::f32, DType::f16, DType::bf16})
        .out("x", &Backward::x, {"batch", "channels", "rows", "height", "cols", "width"}, "y")
        .after({"patchify"});
  }
};

}  // namespace warpath::patchify
