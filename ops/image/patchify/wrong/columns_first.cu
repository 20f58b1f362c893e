// The patches of an image are counted down its columns: every patch is right and stands in the wrong place.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "ops/image/patchify/patchify.h"

namespace warpath::patchify {
namespace {

template <class T>
__global__ void columns_first(const T* from, T* to, std::int64_t channels, std::int64_t rows,
                              std::int64_t height, std::int64_t cols, std::int64_t width,
                              std::int64_t total) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= total) return;
  const std::int64_t w = i % width, h = i / width % height, c = i / width / height % channels;
  const std::int64_t patch = i / (channels * width * height);
  const std::int64_t r = patch % rows, s = patch / rows % cols, b = patch / rows / cols;
  to[i] = from[((((b * channels + c) * rows + r) * height + h) * cols + s) * width + w];
}

void launch(const Forward& args, cudaStream_t stream) {
  const auto& n = args.x.shape;
  if (args.x.size() == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    columns_first<T><<<grid_x(args.x.size(), 256), 256, 0, stream>>>(
        args.x.as<T>(), args.y.as<T>(), n[1], n[2], n[3], n[4], n[5], args.x.size());
  });
}

WARPATH_RUNG(Forward, launch);

}  // namespace
}  // namespace warpath::patchify
