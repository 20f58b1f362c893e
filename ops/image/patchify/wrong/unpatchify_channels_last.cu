// The features of a patch read in the order (height, width, channels): what a model that was trained on such patches gives.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "ops/image/patchify/patchify.h"

namespace warpath::patchify {
namespace {

template <class T>
__global__ void unpatchify_channels_last(const T* from, T* to, std::int64_t channels,
                                         std::int64_t rows, std::int64_t height, std::int64_t cols,
                                         std::int64_t width, std::int64_t total) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= total) return;
  const std::int64_t w = i % width, s = i / width % cols, h = i / width / cols % height;
  const std::int64_t r = i / width / cols / height % rows;
  const std::int64_t c = i / width / cols / height / rows % channels;
  const std::int64_t b = i / width / cols / height / rows / channels;
  const std::int64_t patch = (b * rows + r) * cols + s;
  to[i] = from[((patch * height + h) * width + w) * channels + c];
}

void launch(const Backward& args, cudaStream_t stream) {
  const auto& n = args.x.shape;
  if (args.x.size() == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    unpatchify_channels_last<T><<<grid_x(args.x.size(), 256), 256, 0, stream>>>(
        args.y.as<T>(), args.x.as<T>(), n[1], n[2], n[3], n[4], n[5], args.x.size());
  });
}

WARPATH_RUNG(Backward, launch);

}  // namespace
}  // namespace warpath::patchify
