// A vector has pixels of one channel or of two: no walk.
//
// What changed: in 02 a thread walks along its vector and may load the next gradient at each element: eight branches per vector, and the
// gradient of the next vector is asked for when this one is stored. Where a channel has at least as many pixels as a vector has elements, a vector
// ends at most one channel. Here a thread asks for both gradients of all its vectors first; then an element is a selection by its place.
// Limit: the memory.
#include "core/thread/divisor.cuh"
#include "ops/reduce/global_avg_pool/image.cuh"

namespace warpath::global_avg_pool {
namespace {

constexpr int threads = 256, vectors = 4;  // per thread

template <class T>
__global__ void __launch_bounds__(threads)
    two_channels(const T* dy, T* dx, std::int64_t n, int pixels, Divisor by_pixels, float scale) {
  constexpr int E = lanes_of_16<T>;
  const std::int64_t begin = std::int64_t(blockIdx.x) * threads * vectors * E;
  const std::int64_t channel = begin / pixels;     // of the block's first element
  const int past = int(begin - channel * pixels);  // its pixel
  const std::int64_t rest = n - begin;
  const int count = int(min(rest, std::int64_t(threads * vectors * E)));
  const T* const from = dy + channel;
  float first[vectors], second[vectors];
  int left[vectors];  // pixels of the first channel from the vector on
#pragma unroll
  for (int u = 0; u < vectors; ++u) {
    const int k = (u * threads + int(threadIdx.x)) * E;
    const int c = by_pixels.quotient(past + k);
    left[u] = (c + 1) * pixels - past - k;
    first[u] = second[u] = 0.0f;
    if (k < count) first[u] = to_float(from[c]);
    if (left[u] < E && k + left[u] < rest) second[u] = to_float(from[c + 1]);
  }
#pragma unroll
  for (int u = 0; u < vectors; ++u) {
    const int k = (u * threads + int(threadIdx.x)) * E;
    const float a = first[u] * scale, b = second[u] * scale;
    Vector<T, E> out;
#pragma unroll
    for (int e = 0; e < E; ++e) out.at[e] = from_float<T>(e < left[u] ? a : b);
    if (k + E <= count) {
      store_once<E>(dx + begin + k, out);
    } else {
#pragma unroll
      for (int e = 0; e < E; ++e)
        if (k + e < count) dx[begin + k + e] = out.at[e];
    }
  }
}

void launch(const Backward& args, cudaStream_t stream) {
  const std::int64_t n = args.dx.size();
  if (n == 0) return;
  const int pixels = int(args.dx.shape[2]);
  dispatch_float(args.dy.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    two_channels<T><<<grid_x(n, threads * vectors * lanes_of_16<T>), threads, 0, stream>>>(
        args.dy.as<T>(), args.dx.as<T>(), n, pixels, Divisor::of(pixels), 1.0f / float(pixels));
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string supports(const Backward& args) {
  if (!args.dx.is_aligned(16)) return "writes to tensors that start at a 16-byte boundary";
  if (args.dx.shape[2] * std::int64_t(size_of(args.dx.dtype)) < 16)
    return "takes channels of at least 16 bytes";
  return args.dx.shape[2] < (1 << 30) ? "" : "takes images of less than 2^30 pixels";
}

WARPATH_RUNG(Backward, launch, .supports = supports);

}  // namespace
}  // namespace warpath::global_avg_pool
