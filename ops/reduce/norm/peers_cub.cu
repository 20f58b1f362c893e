// CUB's device-wide and segmented transform and reduction: what an element adds is computed as it is read, the root as the
// result is written.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>

#include <cub/cub.cuh>

#include "ops/reduce/norm/kinds.cuh"

namespace warpath::norm {
namespace {

template <class T, class K>
struct Term {
  const T* x;
  K kind;
  __device__ float operator()(std::int64_t i) const { return kind(to_float(x[i])); }
};

template <class T, class K>
struct Finish {
  K kind;
  __device__ T operator()(float total) const { return from_float<T>(kind.finish(total)); }
};

struct RowStart {
  std::int64_t cols;
  __host__ __device__ std::int64_t operator()(std::int64_t row) const { return row * cols; }
};

// NaN wins, as in the rungs.
struct Join {
  bool largest;
  __host__ __device__ float operator()(float a, float b) const {
    if (!largest) return a + b;
    return a > b || a != a ? a : b;
  }
};

// With `temporary` null it only sets `bytes`, as CUB's calls do.
void call_cub(const Args& args, void* temporary, std::size_t& bytes, cudaStream_t stream) {
  dispatch_norm(args, [&](auto tag, auto kind) {
    using T = typename decltype(tag)::type;
    using K = decltype(kind);
    const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
    const thrust::counting_iterator<std::int64_t> from(0);
    const auto terms = thrust::make_transform_iterator(from, Term<T, K>{args.x.as<T>(), kind});
    const auto starts = thrust::make_transform_iterator(from, RowStart{cols});
    const auto out = thrust::make_transform_output_iterator(args.y.as<T>(), Finish<T, K>{kind});
    const Join join{args.kind == Kind::infinity};
    if (rows == 1)
      CUDA_CHECK(cub::DeviceReduce::Reduce(temporary, bytes, terms, out, cols, join, 0.0f, stream));
    else
      CUDA_CHECK(cub::DeviceSegmentedReduce::Reduce(temporary, bytes, terms, out, rows, starts,
                                                    starts + 1, join, 0.0f, stream));
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
}  // namespace warpath::norm
