// y[b, c] = the mean of the pixels of channel c of image b, and its gradient.
//   backward: dx[b, c, i] = dy[b, c] / pixels
// x may have any strides. With the channels before the pixels in memory it is what is called NCHW, with the pixels first
// NHWC (channels_last): a tensor (batch, channels, height, width) of either kind becomes (batch, channels, pixels) by
// x.flatten(2). Sums are taken in float and rounded once. The mean of no pixels is NaN.
#pragma once
#include "core/host/rung.h"

namespace warpath::global_avg_pool {

struct Forward {
  static constexpr const char* op = "global_avg_pool";
  Tensor x, y;

  static Contract contract() {
    return Contract(op, "y = mean over the pixels of each channel of each image")
        .in("x", &Forward::x, {"batch", "channels", "pixels"},
            {DType::f32, DType::f16, DType::bf16})
        .strided()
        .out("y", &Forward::y, {"batch", "channels"}, "x")
        .after({"reduce", "norm"});
  }
};

struct Backward {
  static constexpr const char* op = "global_avg_pool_backward";
  Tensor dy, x, dx;

  static Contract contract() {
    return Contract(op, "dx = dy / pixels for every pixel of a channel")
        .in("dy", &Backward::dy, {"batch", "channels"}, {DType::f32, DType::f16, DType::bf16})
        .in("x", &Backward::x, {"batch", "channels", "pixels"}, "dy")  // its shape alone
        .strided()
        .out("dx", &Backward::dx, {"batch", "channels", "pixels"}, "dy")
        .after({"global_avg_pool"});
  }
};

}  // namespace warpath::global_avg_pool
