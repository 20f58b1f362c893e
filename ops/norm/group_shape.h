// Group, instance and batch norm are one operation: they differ in the axes that share a mean.
//
// x is [batch][outer][groups][channels][inner], contiguous. A group has one mean and one rstd; its elements are `outer`
// runs of channels * inner neighbours. A channel has one weight and one bias; its elements are planes of `inner`
// neighbours.
//
//                   batch   outer   groups   channels   inner
//   group    NCHW   N       1       G        C / G      H * W
//   group    NHWC   N       H * W   G        C / G      1
//   instance NCHW   N       1       C        1          H * W
//   instance NHWC   N       H * W   C        1          1
//   batch    NCHW   1       N       C        1          H * W
//   batch    NHWC   1       N*H*W   C        1          1
#pragma once
#include <cstdint>

namespace warpath::norm {

struct GroupShape {
  std::int64_t batch = 0, outer = 0, groups = 0, channels = 0, inner = 0;

  constexpr std::int64_t all_groups() const { return batch * groups; }
  constexpr std::int64_t all_channels() const { return groups * channels; }
  constexpr std::int64_t run() const { return channels * inner; }
  constexpr std::int64_t pitch() const { return groups * channels * inner; }  // from run to run
  constexpr std::int64_t group_size() const { return outer * channels * inner; }
  constexpr std::int64_t size() const { return batch * outer * pitch(); }
  // Where group `index` of all groups starts.
  constexpr std::int64_t start(std::int64_t index) const {
    return index / groups * outer * pitch() + index % groups * run();
  }
  // A channel as a group of its own: what the sums for weight and bias run over, image by image.
  constexpr GroupShape by_channel() const { return {batch, outer, groups * channels, 1, inner}; }
};

}  // namespace warpath::norm
