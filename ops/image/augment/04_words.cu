// Images that are not turned: the twelve bytes of four pixels as words, several vectors in flight.
//
// What changed: in 03 a thread reads a pixel, waits, colours it and goes on to the next, byte by byte, and the compiler stores its floats one
// by one. Here the bytes of four neighbouring pixels come as four words, shifted into place, and a thread asks for all of its vectors
// before it colours the first. A byte becomes a float in the exponent of 2^23 (one PRMT), and the FMA that takes the 2^23
// away multiplies by the brightness too; clamps are a modifier of the FMA: 19 instructions colour a pixel. Three lanes draw the
// image's parameters side by side.
// Limit: latency. A block draws, loads, colours and stores, one after the other, and three of them fit on an SM: bf16, with 9 bytes per pixel
// for 15, takes four fifths of the time of f32.
#include "core/host/launch.h"
#include "core/thread/divisor.cuh"
#include "core/thread/vector.cuh"
#include "core/warp/scan.cuh"
#include "ops/image/augment/neighbours.cuh"

namespace warpath::augment {
namespace {

constexpr int threads = 256, steps = 4, N = 4;  // vectors per thread, pixels per vector

// An image's parameters, as FMAs take them.
struct Plan {
  Draws draws;
  float bright, bright_shift;  // of bytes that lie in 2^23
  float contrast_shift, grey;  // what is left of the middle, and of the grey
  float scale[3], shift[3];

  // By a whole warp: lane k < 3 makes call k of the generator and the constants of channel k.
  static __device__ __forceinline__ void make(Plan& plan, const Ranges& ranges, std::int64_t image,
                                              const float* mean, const float* std) {
    const int lane = threadIdx.x % 32;
    const PhiloxWords words = Draws::call(ranges, image, lane % 4);
    const PhiloxWords place = shuffle(words, 0), colour = shuffle(words, 1),
                      cut = shuffle(words, 2);
    if (lane < 3) {
      plan.scale[lane] = 1 / std[lane];
      plan.shift[lane] = -mean[lane] / std[lane];
    }
    if (lane != 0) return;
    const Draws d = Draws::of(ranges, place, colour, cut);
    plan.draws = d;
    plan.bright = d.brightness * (1 / 255.0f);
    plan.bright_shift = -0x1p23f * plan.bright;  // exact
    plan.contrast_shift = 0.5f - 0.5f * d.contrast;
    plan.grey = 1 - d.saturation;
  }
};

// The bytes of four neighbouring pixels.
struct Bytes {
  unsigned word[3];

  // Pixels past the image are black.
  __device__ __forceinline__ void blacken(int col, int width) {
    constexpr unsigned keep[N][3] = {{0xff000000u, ~0u, ~0u},
                                     {0x00ffffffu, 0xffff0000u, ~0u},
                                     {~0u, 0x0000ffffu, 0xffffff00u},
                                     {~0u, ~0u, 0x000000ffu}};
#pragma unroll
    for (int k = 0; k < N; ++k)
      if (unsigned(col + k) >= unsigned(width))
#pragma unroll
        for (int w = 0; w < 3; ++w) word[w] &= keep[k][w];
  }
  // 2^23 and byte i.
  __device__ __forceinline__ float at(int i) const {
    return __uint_as_float(__byte_perm(word[i / 4], 0x4b000000u, 0x7440u + unsigned(i % 4)));
  }
};

// Aligned words of x around the place of four pixels; those past either end are left out.
__device__ __forceinline__ void load_words(unsigned (&words)[4], const unsigned char* x,
                                           std::int64_t bytes, std::int64_t at) {
  const std::int64_t first = at & ~std::int64_t(3);
#pragma unroll
  for (int w = 0; w < 4; ++w) {
    words[w] = 0;
    if (first + 4 * w >= 0 && first + 4 * w < bytes)
      words[w] = *reinterpret_cast<const unsigned*>(x + first + 4 * w);
  }
}

__device__ __forceinline__ void colour_pixel(float (&v)[3], const Bytes& bytes, int k,
                                             const Plan& p) {
#pragma unroll
  for (int c = 0; c < 3; ++c) {
    v[c] = __saturatef(fmaf(bytes.at(3 * k + c), p.bright, p.bright_shift));
    v[c] = __saturatef(fmaf(v[c], p.draws.contrast, p.contrast_shift));
  }
  const float grey = (0.299f * v[0] + 0.587f * v[1] + 0.114f * v[2]) * p.grey;
#pragma unroll
  for (int c = 0; c < 3; ++c)
    v[c] = fmaf(__saturatef(fmaf(p.draws.saturation, v[c], grey)), p.scale[c], p.shift[c]);
}

template <class T>
__global__ void __launch_bounds__(threads)
    words(const unsigned char* x, T* y, const float* mean, const float* std,
          const __grid_constant__ Ranges ranges, Divisor by_width, int height, int width,
          std::int64_t batch) {
  __shared__ Plan shared_plan;
  const int pixels = ranges.height * ranges.width, across = ranges.width / N;
  const int begin = blockIdx.x * steps * threads + threadIdx.x;
  for (std::int64_t image = blockIdx.y; image < batch; image += gridDim.y) {
    if (threadIdx.x < 32) Plan::make(shared_plan, ranges, image, mean, std);
    __syncthreads();
    const Plan plan = shared_plan;
    const Draws& d = plan.draws;
    unsigned in[steps][4];
    int row[steps], col[steps], from[steps];  // `from`: the leftmost source column
#pragma unroll
    for (int s = 0; s < steps; ++s) {
      const int i = begin + s * threads;
      row[s] = by_width.quotient(i);
      col[s] = (i - row[s] * across) * N;
      from[s] = (d.flip ? ranges.width - N - col[s] : col[s]) + d.left;
      const int source = row[s] + d.top;
      const bool there = row[s] < ranges.height && unsigned(source) < unsigned(height);
      const std::int64_t at = ((image * height + source) * width + from[s]) * 3;
      load_words(in[s], x, there ? batch * height * width * 3 : 0, at);
      from[s] = there ? from[s] : width;  // no pixel of it is inside
      const int shift = int(at & 3) * 8;
#pragma unroll
      for (int w = 0; w < 3; ++w) in[s][w] = __funnelshift_r(in[s][w], in[s][w + 1], shift);
    }
#pragma unroll
    for (int s = 0; s < steps; ++s) {
      if (row[s] >= ranges.height) break;
      Bytes bytes{{in[s][0], in[s][1], in[s][2]}};
      if (from[s] < 0 || from[s] + N > width) bytes.blacken(from[s], width);
      float v[N][3];
#pragma unroll
      for (int k = 0; k < N; ++k) colour_pixel(v[k], bytes, k, plan);
      Vector<T, N> out[3];
#pragma unroll
      for (int k = 0; k < N; ++k) {
        const bool cut = d.cuts(row[s], col[s] + k);
#pragma unroll
        for (int c = 0; c < 3; ++c)
          out[c].at[k] = from_float<T>(cut ? 0.0f : d.flip ? v[N - 1 - k][c] : v[k][c]);
      }
#pragma unroll
      for (int c = 0; c < 3; ++c)
        store_once<N>(y + (image * 3 + c) * pixels + row[s] * ranges.width + col[s], out[c]);
    }
    __syncthreads();  // before the next image's plan
  }
}

void launch(const Args& args, cudaStream_t stream) {
  launch_neighbours<N>(args, threads, threads * steps * N, stream,
                       []<class T>(Tag<T>) { return words<T>; });
}

std::string fits(const Args& args) {
  if (args.rotation != 0) return "takes images that are not turned";
  if (!args.x.is_aligned(4) || args.x.size() % 4 != 0)
    return "the images must start at a multiple of four bytes, and have so many";
  return takes_neighbours<N>(args);
}
std::string preferred(const Args& args) {
  return args.like.shape[0] * args.like.shape[1] >= threads * steps * N
             ? ""
             : "a smaller image leaves threads of its block without pixels: 03 is 10% faster for "
               "32x32";
}

WARPATH_RUNG(Args, launch, .supports = fits, .preferred = preferred);

}  // namespace
}  // namespace warpath::augment
