// CUB's device-wide and segmented reduction of products, which a transform iterator takes as they are read.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/cub.cuh>

#include "ops/reduce/dot/pairs.cuh"

namespace warpath::dot {
namespace {

template <class T>
struct Product {
  const T *x, *y;
  __device__ float operator()(std::int64_t i) const { return to_float(x[i]) * to_float(y[i]); }
};

struct RowStart {
  std::int64_t cols;
  __host__ __device__ std::int64_t operator()(std::int64_t row) const { return row * cols; }
};

struct Plus {
  __host__ __device__ float operator()(float a, float b) const { return a + b; }
};

// With `temporary` null it only sets `bytes`, as CUB's calls do.
void call_cub(const Args& args, void* temporary, std::size_t& bytes, cudaStream_t stream) {
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
    const thrust::counting_iterator<std::int64_t> from(0);
    const auto products =
        thrust::make_transform_iterator(from, Product<T>{args.x.as<T>(), args.y.as<T>()});
    const auto starts = thrust::make_transform_iterator(from, RowStart{cols});
    if (rows == 1)
      CUDA_CHECK(cub::DeviceReduce::Reduce(temporary, bytes, products, args.z.as<T>(), cols, Plus{},
                                           0.0f, stream));
    else
      CUDA_CHECK(cub::DeviceSegmentedReduce::Reduce(temporary, bytes, products, args.z.as<T>(),
                                                    rows, starts, starts + 1, Plus{}, 0.0f,
                                                    stream));
  });
}

std::int64_t scratch_bytes(const Args& args) {
  std::size_t bytes = 0;
  if (args.x.size() > 0) call_cub(args, nullptr, bytes, nullptr);
  return static_cast<std::int64_t>(std::max<std::size_t>(bytes, 1));
}

void launch(const Args& args, cudaStream_t stream) {
  auto bytes = static_cast<std::size_t>(args.scratch.bytes);
  call_cub(args, args.scratch.data, bytes, stream);
}

std::string supports(const Args& args) {
  return args.x.size() > 0 ? in_rows(args) : "takes no empty tensors";
}

WARPATH_PEER(Args, "CUB", launch, .supports = supports, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::dot
