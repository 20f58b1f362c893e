// Sixteen bytes per store, whatever channels they belong to.
//
// What changed: a thread divides once for its first element, and walks on: its vector has elements of one channel, or of two,
// or with few pixels of several. The quotient of its place comes from a multiplication, 32 bits wide: a block covers a piece
// that is counted from its own first channel. Stores are 16 bytes, "evict first".
// Limit: the memory.
#include "core/thread/divisor.cuh"
#include "ops/reduce/global_avg_pool/image.cuh"

namespace warpath::global_avg_pool {
namespace {

constexpr int threads = 256, vectors = 4;  // per thread

template <class T>
__global__ void __launch_bounds__(threads)
    backward_vector(const T* dy, T* dx, std::int64_t n, int pixels, Divisor by_pixels,
                    float scale) {
  constexpr int E = lanes_of_16<T>;
  const std::int64_t begin = std::int64_t(blockIdx.x) * threads * vectors * E;
  const std::int64_t channel = begin / pixels;     // of the block's first element
  const int past = int(begin - channel * pixels);  // its pixel
  const T* const from = dy + channel;
#pragma unroll
  for (int u = 0; u < vectors; ++u) {
    const int k = (u * threads + int(threadIdx.x)) * E;
    if (begin + k >= n) break;
    int c = by_pixels.quotient(past + k), pixel = past + k - c * pixels;
    float value = to_float(from[c]) * scale;
    Vector<T, E> out;
    const int count = n - begin - k < E ? int(n - begin - k) : E;
#pragma unroll
    for (int e = 0; e < E; ++e) {
      if (pixel == pixels && e < count) {
        pixel = 0;
        value = to_float(from[++c]) * scale;
      }
      out.at[e] = from_float<T>(value);
      ++pixel;
    }
    if (count == E) {
      store_once<E>(dx + begin + k, out);
    } else {
#pragma unroll
      for (int e = 0; e < E; ++e)
        if (e < count) dx[begin + k + e] = out.at[e];
    }
  }
}

void launch(const Backward& args, cudaStream_t stream) {
  const std::int64_t n = args.dx.size();
  if (n == 0) return;
  const int pixels = int(args.dx.shape[2]);
  dispatch_float(args.dy.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    backward_vector<T><<<grid_x(n, threads * vectors * lanes_of_16<T>), threads, 0, stream>>>(
        args.dy.as<T>(), args.dx.as<T>(), n, pixels, Divisor::of(pixels), 1.0f / float(pixels));
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string supports(const Backward& args) {
  if (!args.dx.is_aligned(16)) return "writes to tensors that start at a 16-byte boundary";
  return args.dx.shape[2] < (1 << 30) ? "" : "takes images of less than 2^30 pixels";
}

WARPATH_RUNG(Backward, launch, .supports = supports);

}  // namespace
}  // namespace warpath::global_avg_pool
