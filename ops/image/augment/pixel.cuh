// One pixel of the result: where it comes from, and its colours.
#pragma once
#include "core/host/dispatch.cuh"
#include "core/thread/convert.cuh"
#include "ops/image/augment/draws.h"

namespace warpath::augment {

// An image's parameters with what is computed from them once.
struct Recipe {
  Draws draws;
  float sine, cosine;
  float scale[3], shift[3];  // of bytes: (v / 255 - mean) / std

  static __device__ __forceinline__ Recipe of(const Ranges& ranges, std::int64_t image,
                                              const float* mean, const float* std) {
    Recipe r;
    r.draws = Draws::of(ranges, image);
    sincosf(r.draws.angle, &r.sine, &r.cosine);
#pragma unroll
    for (int c = 0; c < 3; ++c) {
      r.scale[c] = 1 / std[c];
      r.shift[c] = -mean[c] / std[c];
    }
    return r;
  }
};

struct Source {
  const unsigned char* image;
  int height, width;

  // Adds a pixel's channels, times a weight.
  __device__ __forceinline__ void add(float (&sum)[3], int row, int col, float weight) const {
    if (unsigned(row) >= unsigned(height) || unsigned(col) >= unsigned(width)) return;
    const unsigned char* const at = image + (std::int64_t(row) * width + col) * 3;
#pragma unroll
    for (int c = 0; c < 3; ++c) sum[c] += weight * float(at[c]);
  }
};

__device__ __forceinline__ float between_0_and_1(float v) {
  return fminf(fmaxf(v, 0), 1);
}

// The three channels of the result's pixel (row, col).
__device__ __forceinline__ void make_pixel(float (&v)[3], const Source& from, const Recipe& r,
                                           const Ranges& ranges, int row, int col) {
  const Draws& d = r.draws;
#pragma unroll
  for (int c = 0; c < 3; ++c) v[c] = 0;
  if (d.cuts(row, col)) return;
  const int across = d.flip ? ranges.width - 1 - col : col;
  if (d.angle == 0) {
    from.add(v, row + d.top, across + d.left, 1);
  } else {
    const float middle_x = 0.5f * float(ranges.width - 1),
                middle_y = 0.5f * float(ranges.height - 1);
    const float dx = float(across) - middle_x, dy = float(row) - middle_y;
    const float sx = r.cosine * dx - r.sine * dy + middle_x + float(d.left);
    const float sy = r.sine * dx + r.cosine * dy + middle_y + float(d.top);
    const float x0 = floorf(sx), y0 = floorf(sy), u = sx - x0, w = sy - y0;
    const int x = int(x0), y = int(y0);
    from.add(v, y, x, (1 - w) * (1 - u));
    from.add(v, y, x + 1, (1 - w) * u);
    from.add(v, y + 1, x, w * (1 - u));
    from.add(v, y + 1, x + 1, w * u);
  }
#pragma unroll
  for (int c = 0; c < 3; ++c) {
    v[c] = between_0_and_1(v[c] * (1 / 255.0f) * d.brightness);
    v[c] = between_0_and_1((v[c] - 0.5f) * d.contrast + 0.5f);
  }
  const float grey = 0.299f * v[0] + 0.587f * v[1] + 0.114f * v[2];
#pragma unroll
  for (int c = 0; c < 3; ++c) {
    v[c] = between_0_and_1(grey + d.saturation * (v[c] - grey));
    v[c] = v[c] * r.scale[c] + r.shift[c];
  }
}

}  // namespace warpath::augment
