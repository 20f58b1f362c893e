// Sums over the tokens of an image, one per column. Few images would keep few blocks busy, so that each image is shared by
// several blocks; each leaves the sums of its own tokens in scratch memory, and a second kernel adds those up in a fixed
// order: the same bits in every run.
#pragma once
#include "core/host/device.cuh"
#include "ops/norm/adaptive_norm/per_image.cuh"

namespace warpath::adaptive_norm {

// Blocks per image: together at least two waves, so that a late one does not hold up the end; each with a few passes over
// its `rows` tokens, so that its sums are few beside what it reads. `others`: blocks that share the columns.
inline std::int64_t parts_of(std::int64_t images, std::int64_t tokens, dim3 block,
                             std::int64_t others = 1) {
  const std::int64_t resident =
      std::int64_t(multiprocessors()) * std::max(1u, 1024 / (block.x * block.y));
  const std::int64_t wanted = ceil_div(2 * resident, std::max<std::int64_t>(images * others, 1));
  return std::clamp<std::int64_t>(wanted, 1,
                                  std::max<std::int64_t>(1, tokens / (4 * std::int64_t(block.y))));
}

// Scratch memory is [images][parts][K][cols] floats.
inline std::int64_t parts_bytes(std::int64_t images, std::int64_t parts, int K, std::int64_t cols) {
  return images * parts * K * cols * std::int64_t(sizeof(float));
}

inline constexpr int add_columns = 32, add_threads = 8;  // threads per column

template <class T, int K>
static __global__ void __launch_bounds__(add_columns* add_threads)
    add_parts(const float* sums, std::int64_t parts, PerImage<T> first, PerImage<T> second,
              std::int64_t cols) {
  __shared__ float tile[K][add_threads][add_columns];
  const std::int64_t slabs = (cols + add_columns - 1) / add_columns, image = blockIdx.x / slabs;
  const std::int64_t column = blockIdx.x % slabs * add_columns + threadIdx.x;
  float own[K] = {};
  if (column < cols)
    for (std::int64_t part = threadIdx.y; part < parts; part += add_threads)
#pragma unroll
      for (int k = 0; k < K; ++k) own[k] += sums[((image * parts + part) * K + k) * cols + column];
#pragma unroll
  for (int k = 0; k < K; ++k) tile[k][threadIdx.y][threadIdx.x] = own[k];
  __syncthreads();
  const int k = threadIdx.y;  // one row of threads per result
  if (k >= K || column >= cols) return;
  float sum = 0;
#pragma unroll
  for (int y = 0; y < add_threads; ++y) sum += tile[k][y][threadIdx.x];
  (k == 0 ? first : second).at(image, column) = from_float<T>(sum);
}

// K = 1 leaves `second` alone.
template <int K, class T>
void launch_add_parts(const void* sums, std::int64_t images, std::int64_t parts, PerImage<T> first,
                      PerImage<T> second, std::int64_t cols, cudaStream_t stream) {
  add_parts<T, K><<<grid_x(images * ceil_div(cols, add_columns), 1), dim3(add_columns, add_threads),
                    0, stream>>>(static_cast<const float*>(sums), parts, first, second, cols);
}

}  // namespace warpath::adaptive_norm
