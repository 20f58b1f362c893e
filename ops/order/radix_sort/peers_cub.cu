// CUB's radix sort of keys and of pairs, for one row; its segmented sort of pairs for several. Only what is timed: each of
// them takes nvcc half a minute.
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cub/cub.cuh>

#include "core/host/dispatch.cuh"
#include "ops/order/radix_sort/digit.cuh"

namespace warpath::radix_sort {
namespace {

struct RowStart {
  std::int64_t cols;
  __host__ __device__ std::int64_t operator()(std::int64_t row) const { return row * cols; }
};

// With `temporary` null it only sets `bytes`, as CUB's calls do.
void call_cub(const Args& args, void* temporary, std::size_t& bytes, cudaStream_t stream) {
  const std::int64_t rows = args.keys.shape[0], cols = args.keys.shape[1], n = rows * cols;
  const int begin = int(args.begin_bit), end = args.last_bit();
  const int* values = args.values.as<int>();
  int* values_out = args.sorted_values.as<int>();
  if (rows > 1) {
    const auto starts =
        thrust::make_transform_iterator(thrust::counting_iterator<std::int64_t>(0), RowStart{cols});
    CUDA_CHECK(cub::DeviceSegmentedSort::StableSortPairs(
        temporary, bytes, args.keys.as<const float>(), args.sorted.as<float>(), values, values_out,
        n, rows, starts, starts + 1, stream));
    return;
  }
  dispatch<float, __nv_bfloat16, int, long long>(args.keys.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* keys = args.keys.as<T>();
    T* out = args.sorted.as<T>();
    if (!args.pairs())
      CUDA_CHECK(
          cub::DeviceRadixSort::SortKeys(temporary, bytes, keys, out, n, begin, end, stream));
    else if constexpr (sizeof(T) == 4)
      CUDA_CHECK(cub::DeviceRadixSort::SortPairs(temporary, bytes, keys, out, values, values_out, n,
                                                 begin, end, stream));
  });
}

std::int64_t scratch_bytes(const Args& args) {
  std::size_t bytes = 0;
  if (args.keys.size() > 0) call_cub(args, nullptr, bytes, nullptr);
  return static_cast<std::int64_t>(std::max<std::size_t>(bytes, 1));
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.keys.size() == 0) return;
  auto bytes = static_cast<std::size_t>(args.scratch.bytes);
  call_cub(args, args.scratch.data, bytes, stream);
}

// CUB has descending sorts and all types too. Its order of NaN is that of the bits.
std::string supports(const Args& args) {
  const DType d = args.keys.dtype;
  if (args.descending) return "is called for ascending order";
  if (args.keys.shape[0] > 1)
    return args.pairs() && d == DType::f32 && args.begin_bit == 0 && args.end_bit == 0
               ? ""
               : "is called for rows of f32 pairs";
  if (d != DType::f32 && d != DType::bf16 && d != DType::i32 && d != DType::i64)
    return "is called for f32, bf16, i32 and i64";
  return args.pairs() && size_of(d) != 4 ? "is called for pairs of 4-byte keys" : "";
}

WARPATH_PEER(Args, "CUB", launch, .supports = supports, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::radix_sort
