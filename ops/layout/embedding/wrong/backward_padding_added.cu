// The padding row gets a gradient as any other: the model then trains on its padding.
#include "ops/layout/embedding/ids.cuh"

namespace warpath::embedding {
namespace {

constexpr int threads = 128;

template <class T>
__global__ void padding_added(const T* dy, Ids ids, T* dtable, std::int64_t tokens,
                              std::int64_t width, std::int64_t) {
  const std::int64_t row = blockIdx.x;
  for (std::int64_t c = threadIdx.x; c < width; c += threads) {
    float sum = 0;
    for (std::int64_t t = 0; t < tokens; ++t)
      if (ids[t] == row) sum += to_float(dy[t * width + c]);
    dtable[row * width + c] = from_float<T>(sum);
  }
}

void launch(const Backward& args, cudaStream_t stream) {
  if (args.dtable.size() == 0) return;
  dispatch_float(args.dy.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    padding_added<T><<<grid_x(args.dtable.shape[0], 1), threads, 0, stream>>>(
        args.dy.as<T>(), Ids::of(args.ids), args.dtable.as<T>(), args.ids.size(),
        args.dtable.shape[1], args.padding_idx);
  });
}

WARPATH_RUNG(Backward, launch);

}  // namespace
}  // namespace warpath::embedding
