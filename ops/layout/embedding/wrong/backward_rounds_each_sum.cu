// Adds in the type of the table: in 16 bits each addition rounds, and a frequent row stops growing.
#include "ops/layout/embedding/ids.cuh"

namespace warpath::embedding {
namespace {

constexpr int threads = 128;

template <class T>
__global__ void rounds_each_sum(const T* dy, Ids ids, T* dtable, std::int64_t tokens,
                                std::int64_t width, std::int64_t padding) {
  const std::int64_t row = blockIdx.x;
  for (std::int64_t c = threadIdx.x; c < width; c += threads) {
    T sum = from_float<T>(0);
    for (std::int64_t t = 0; t < tokens; ++t)
      if (ids[t] == row && row != padding)
        sum = from_float<T>(to_float(sum) + to_float(dy[t * width + c]));
    dtable[row * width + c] = sum;
  }
}

void launch(const Backward& args, cudaStream_t stream) {
  if (args.dtable.size() == 0) return;
  dispatch_float(args.dy.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    rounds_each_sum<T><<<grid_x(args.dtable.shape[0], 1), threads, 0, stream>>>(
        args.dy.as<T>(), Ids::of(args.ids), args.dtable.as<T>(), args.ids.size(),
        args.dtable.shape[1], args.padding_idx);
  });
}

WARPATH_RUNG(Backward, launch);

}  // namespace
}  // namespace warpath::embedding
