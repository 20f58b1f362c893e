// The parameters of one image, from its random words: the same on host and GPU.
#pragma once
#include <cstdint>

#include "core/thread/philox.cuh"
#include "ops/image/augment/augment.h"

namespace warpath::augment {

// What all images of a call have in common.
struct Ranges {
  std::uint64_t seed, offset, flip;  // flip: a word below it mirrors the image
  unsigned tops, lefts;              // how many corners there are
  int height, width;                 // of the result
  int padding, cut;
  float radians, brightness, contrast, saturation;

  static Ranges of(const Args& args) {
    check_strengths(args);
    const auto corners = [&](int axis) {
      return static_cast<unsigned>(args.x.shape[static_cast<std::size_t>(axis + 1)] +
                                   2 * args.padding -
                                   args.like.shape[static_cast<std::size_t>(axis)] + 1);
    };
    return {static_cast<std::uint64_t>(args.seed),
            static_cast<std::uint64_t>(args.offset),
            static_cast<std::uint64_t>(args.flip * 0x1p32),
            corners(0),
            corners(1),
            static_cast<int>(args.like.shape[0]),
            static_cast<int>(args.like.shape[1]),
            static_cast<int>(args.padding),
            static_cast<int>(args.cut),
            static_cast<float>(args.rotation * 0.017453292519943295),
            static_cast<float>(args.brightness),
            static_cast<float>(args.contrast),
            static_cast<float>(args.saturation)};
  }
};

struct Draws {
  int top, left;  // of the crop, in the image; below zero in the padding
  bool flip;
  float angle;  // in radians
  float brightness, contrast, saturation;
  int cut_top, cut_left, cut_bottom, cut_right;  // first and past the last

  // Three calls of the generator, with counters 4 * image to 4 * image + 2.
  static constexpr PhiloxWords call(const Ranges& r, std::int64_t image, int k) {
    return philox(philox_counter(4 * std::uint64_t(image) + std::uint64_t(k), r.offset), r.seed);
  }
  static constexpr Draws of(const Ranges& r, std::int64_t image) {
    return of(r, call(r, image, 0), call(r, image, 1), call(r, image, 2));
  }
  static constexpr Draws of(const Ranges& r, PhiloxWords place, PhiloxWords colour,
                            PhiloxWords cut) {
    const auto below = [](std::uint32_t word, unsigned n) {
      return int((std::uint64_t(word) * n) >> 32);
    };
    const auto factor = [](std::uint32_t word, float strength) {
      return 1 + strength * (2 * uniform_float(word) - 1);
    };
    Draws d{};
    d.top = below(place.at[0], r.tops) - r.padding;
    d.left = below(place.at[1], r.lefts) - r.padding;
    d.flip = place.at[2] < r.flip;
    d.angle = r.radians * (float(std::int32_t(place.at[3])) * 0x1p-31f);
    d.brightness = factor(colour.at[0], r.brightness);
    d.contrast = factor(colour.at[1], r.contrast);
    d.saturation = factor(colour.at[2], r.saturation);
    d.cut_top = below(cut.at[0], unsigned(r.height)) - r.cut / 2;
    d.cut_left = below(cut.at[1], unsigned(r.width)) - r.cut / 2;
    d.cut_bottom = d.cut_top + r.cut;
    d.cut_right = d.cut_left + r.cut;
    return d;
  }
  constexpr bool cuts(int row, int col) const {
    return row >= cut_top && row < cut_bottom && col >= cut_left && col < cut_right;
  }
};

}  // namespace warpath::augment
