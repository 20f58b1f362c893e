// A row of patches goes through shared memory, and nothing waits until it is there.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "ops/image/patchify/patchify.h"

namespace warpath::patchify {
namespace {

constexpr int room = 4096;  // elements of one row of patches

template <class T>
__global__ void no_barrier(const T* from, T* to, int channels, int rows, int height, int cols,
                           int width) {
  __shared__ unsigned char raw[room * sizeof(T)];
  T* const tile = reinterpret_cast<T*>(raw);
  const int line = cols * width, size = channels * height * line;
  const std::int64_t b = blockIdx.x / rows, r = blockIdx.x % rows;
  for (int i = threadIdx.x; i < size; i += blockDim.x) {
    const int row = i / line, c = row / height, h = row % height;
    tile[i] = from[(((b * channels + c) * rows + r) * height + h) * line + i % line];
  }
  for (int i = threadIdx.x; i < size; i += blockDim.x) {
    const int w = i % width, row = i / width % (channels * height);
    const int s = i / width / (channels * height);
    to[blockIdx.x * std::int64_t(size) + i] = tile[row * line + s * width + w];
  }
}

void launch(const Forward& args, cudaStream_t stream) {
  const auto& n = args.x.shape;
  if (args.x.size() == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    no_barrier<T><<<static_cast<unsigned>(n[0] * n[2]), 64, 0, stream>>>(
        args.x.as<T>(), args.y.as<T>(), int(n[1]), int(n[2]), int(n[3]), int(n[4]), int(n[5]));
  });
}

std::string fits(const Forward& args) {
  const auto& n = args.x.shape;
  return n[1] * n[3] * n[4] * n[5] <= room ? "" : "a row of patches must fit into its tile";
}

WARPATH_RUNG(Forward, launch, .supports = fits, .race = true);

}  // namespace
}  // namespace warpath::patchify
