// What the rungs of global_avg_pool share: where a channel's pixels lie.
#pragma once
#include "core/block/reduce.cuh"
#include "core/host/device.cuh"
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "core/thread/vector.cuh"
#include "ops/reduce/global_avg_pool/global_avg_pool.h"

namespace warpath::global_avg_pool {

template <class T>
struct Images {
  const T* x;
  std::int64_t batch, channels, pixels;
  std::int64_t batch_stride, channel_stride, pixel_stride;

  static Images of(const Forward& args) {
    const Tensor& x = args.x;
    return {x.as<T>(), x.shape[0], x.shape[1], x.shape[2], x.stride[0], x.stride[1], x.stride[2]};
  }
  __device__ __forceinline__ std::int64_t rows() const { return batch * channels; }
  // Row r is channel r % channels of image r / channels.
  __device__ __forceinline__ const T* row(std::int64_t r) const {
    return x + r / channels * batch_stride + r % channels * channel_stride;
  }
};

// Rows one after the other, without gaps.
inline std::string in_rows(const Forward& args) {
  return args.x.is_contiguous() ? "" : "takes channels one after the other, without gaps (NCHW)";
}

}  // namespace warpath::global_avg_pool
