// Fixed point with one unit for everything: 2^-20. Right for numbers near 1; small ones round to zero.
#include "ops/reduce/segment_sum/by_id.cuh"

namespace warpath::segment_sum {
namespace {

constexpr float unit = 1048576.0f;

template <class T>
__global__ void one_unit(const T* x, Ids ids, std::int64_t size, std::int64_t cols, Parts parts) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const std::int64_t s = ids.of(i / cols);
  if (s < 0) return;
  const float value = to_float(x[i]);
  if (value == 0 || special_of(value) != no_special) return;
  atomicAdd(reinterpret_cast<unsigned long long*>(&parts.sums[s * cols + i % cols]),
            (unsigned long long)(llrint(double(value * unit))));
}

template <class T>
__global__ void finish(Parts parts, T* y, std::int64_t size) {
  const std::int64_t k = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (k < size) y[k] = from_float<T>(float(parts.sums[k]) / unit);
}

void launch(const ById& args, cudaStream_t stream) {
  const std::int64_t size = args.y.size(), n = args.x.size(), cols = args.y.shape[1];
  if (size == 0) return;
  const Parts parts = Parts::of(args);
  const std::int64_t words = Parts::bytes(args) / 4;
  clear_words<<<grid_x(words, 256), 256, 0, stream>>>(static_cast<unsigned*>(args.scratch.data),
                                                      words);
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (n > 0)
      one_unit<<<grid_x(n, 256), 256, 0, stream>>>(
          args.x.as<const T>(), Ids::of(args.ids, args.y.shape[0]), n, cols, parts);
    finish<<<grid_x(size, 256), 256, 0, stream>>>(parts, args.y.as<T>(), size);
  });
}

std::string sums(const ById& args) {
  return args.kind == Kind::sum ? "" : "takes sums";
}

WARPATH_RUNG(ById, launch, .supports = sums, .scratch = Parts::bytes);

}  // namespace
}  // namespace warpath::segment_sum
