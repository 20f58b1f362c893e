// The kernel of the first rungs: one thread per element of the result.
#pragma once
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "ops/image/patchify/patchify.h"

namespace warpath::patchify {
namespace {

struct Sizes {
  std::int64_t channels, rows, height, cols, width;

  static Sizes of(const Tensor& x) {
    return {x.shape[1], x.shape[2], x.shape[3], x.shape[4], x.shape[5]};
  }
};

// To: the result is in the order of the patches, otherwise in that of the image.
template <bool To, class T>
__global__ void naive(const T* from, T* to, Sizes n, std::int64_t total) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= total) return;
  std::int64_t at = i;
  const auto next = [&](std::int64_t size) {
    const std::int64_t index = at % size;
    at /= size;
    return index;
  };
  if (To) {
    const std::int64_t w = next(n.width), h = next(n.height), c = next(n.channels);
    const std::int64_t s = next(n.cols), r = next(n.rows), b = at;
    to[i] = from[((((b * n.channels + c) * n.rows + r) * n.height + h) * n.cols + s) * n.width + w];
  } else {
    const std::int64_t w = next(n.width), s = next(n.cols), h = next(n.height);
    const std::int64_t r = next(n.rows), c = next(n.channels), b = at;
    to[i] = from[((((b * n.rows + r) * n.cols + s) * n.channels + c) * n.height + h) * n.width + w];
  }
}

template <bool To>
void run_naive(const Tensor& image, const Tensor& from, const Tensor& to, cudaStream_t stream) {
  const std::int64_t total = from.size();
  if (total == 0) return;
  dispatch_float(from.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr int threads = 256;
    naive<To><<<grid_x(total, threads), threads, 0, stream>>>(from.as<T>(), to.as<T>(),
                                                              Sizes::of(image), total);
  });
  CUDA_CHECK(cudaGetLastError());
}

}  // namespace
}  // namespace warpath::patchify
