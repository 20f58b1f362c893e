// All of it in one walk over the tokens: an image is shared by a few blocks, each with sums of its own.
//
// What changed: a block of 256 threads walks over a part of the tokens of one image. For a token it makes the two sums,
// writes dx, and adds what the token gives to dscale and dshift to its sums in scratch memory. A second kernel adds up the
// parts of each image in a fixed order (parts.cuh).
// Limit: x and dy are read twice, one element per load; a block's sums pass through the cache for every token.
#include "core/block/reduce.cuh"
#include "core/host/dispatch.cuh"
#include "ops/norm/adaptive_norm/adaptive_norm.h"
#include "ops/norm/adaptive_norm/parts.cuh"

namespace warpath::adaptive_norm {
namespace {

constexpr int threads = 256;

template <class T>
__global__ void __launch_bounds__(threads)
    walk(const T* x, const T* dy, const float* means, const float* rstds, PerImage<const T> scale,
         const T* ds, T* dx, float* sums, std::int64_t parts, std::int64_t tokens,
         std::int64_t cols) {
  __shared__ float sum_slots[threads / 32], dot_slots[threads / 32];
  const std::int64_t image = blockIdx.x / parts, part = blockIdx.x % parts;
  float* const dscale = sums + blockIdx.x * 2 * cols;
  float* const dshift = dscale + cols;
  for (std::int64_t c = threadIdx.x; c < cols; c += threads) dscale[c] = dshift[c] = 0;
  for (std::int64_t token = part; token < tokens; token += parts) {
    const std::int64_t row = image * tokens + token, first = row * cols;
    const float mean = means[row], rstd = rstds[row];
    float sum = 0, dot = 0;
    for (std::int64_t c = threadIdx.x; c < cols; c += threads) {
      const float g = to_float(dy[first + c]) * (1.0f + to_float(scale.at(image, c)));
      sum += g;
      dot += g * (to_float(x[first + c]) - mean) * rstd;
    }
    sum = block_reduce<threads>(sum, Sum{}, sum_slots) / float(cols);
    dot = block_reduce<threads>(dot, Sum{}, dot_slots) / float(cols);
    for (std::int64_t c = threadIdx.x; c < cols; c += threads) {
      const float d = to_float(dy[first + c]), n = (to_float(x[first + c]) - mean) * rstd;
      const float g = d * (1.0f + to_float(scale.at(image, c)));
      const float also = ds ? to_float(ds[first + c]) : 0.0f;
      dx[first + c] = from_float<T>(rstd * (g - sum - n * dot) + also);
      dscale[c] += d * n;
      dshift[c] += d;
    }
    __syncthreads();  // all have read the slots before the next token writes them
  }
}

std::int64_t parts_of_call(const Backward& args) {
  return parts_of(args.x.shape[0], args.x.shape[1], dim3(threads));
}

void launch(const Backward& args, cudaStream_t stream) {
  const std::int64_t images = args.x.shape[0], cols = args.x.shape[2];
  if (images * cols == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const std::int64_t parts = parts_of_call(args);
    walk<T><<<grid_x(images * parts, 1), threads, 0, stream>>>(
        args.x.as<T>(), args.dy.as<T>(), args.mean.as<float>(), args.rstd.as<float>(),
        PerImage<const T>(args.scale), args.ds.as<T>(), args.dx.as<T>(),
        static_cast<float*>(args.scratch.data), parts, args.x.shape[1], cols);
    launch_add_parts<2>(args.scratch.data, images, parts, PerImage<T>(args.dscale),
                        PerImage<T>(args.dshift), cols, stream);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::int64_t scratch_bytes(const Backward& args) {
  return parts_bytes(args.x.shape[0], parts_of_call(args), 2, args.x.shape[2]);
}

WARPATH_RUNG(Backward, launch, .scratch = scratch_bytes);

}  // namespace
}  // namespace warpath::adaptive_norm
