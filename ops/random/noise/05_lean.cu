// The same numbers by two thirds of the instructions.
//
// What changed: 04 issues 25 instructions per float, and in the time that the memory takes an SM issues 28. Here it is 18:
// - all calls of a tensor share three words of the counter, so two of the first four products are made on the host;
// - constants are multiplied before the launch: the root of 2 ln 2 joins `scale`, pi joins the power of two of the angle, and
//   `scale` multiplies the radius once instead of each number of the pair;
// - a block that is whole tests for the end once, counts in 32 bits, and stores at constant distances from one address;
// - two floats become two 16-bit numbers by one instruction.
// Limit: in f32 the memory. In 16 bits the arithmetic, which takes as long as in f32: wide multiplications and special functions do not
// issue at full rate.
#include "core/host/dispatch.cuh"
#include "core/host/launch.h"
#include "core/thread/convert.cuh"
#include "core/thread/vector.cuh"
#include "ops/random/noise/draw.cuh"

namespace warpath::noise {
namespace {

constexpr int threads = 256, steps = 4;  // vectors per thread

struct Lean {
  PhiloxStream stream;
  std::uint32_t threshold;
  bool all;
  float scale, shift;
  float radius;  // scale * sqrt(2 ln 2)

  static Lean of(const Args& args) {
    const Draw<std::uint64_t> draw = draw_of(args);
    constexpr double root = 1.1774100225154747;
    return {PhiloxStream::of(draw.key, draw.offset),
            draw.threshold,
            draw.all,
            draw.scale,
            draw.shift,
            float(args.scale * root)};
  }

  // Elements 4 * group to 4 * group + 3.
  template <class T, Distribution D>
  __device__ __forceinline__ void four(float* out, std::uint32_t group) const {
    const PhiloxWords words = stream.words(group);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const std::uint32_t word = words.at[k];
      if constexpr (D == Distribution::uniform)
        out[k] = fmaf(scale, uniform_digits<digits<T>>(word), shift);
      else if constexpr (D == Distribution::bernoulli)
        out[k] = fmaf(scale, all || word < threshold ? 1.0f : 0.0f, shift);
      else if (k % 2 == 0)
        pair(out + k, word, words.at[k + 1]);
    }
  }
  // As quick_normal_pair(), with the constants joined.
  __device__ __forceinline__ void pair(float* out, std::uint32_t a, std::uint32_t b) const {
    const float r = radius * ptx::sqrt(fabsf(ptx::log2(uniform_above_zero(a))));
    float sine, cosine;
    __sincosf(float(std::int32_t(b)) * (3.141592654f * 0x1p-31f), &sine, &cosine);
    out[0] = fmaf(r, cosine, shift);
    out[1] = fmaf(r, sine, shift);
  }
};

// Four or eight numbers from the group of the first on, as 16 bytes.
template <class T, Distribution D>
__device__ __forceinline__ uint4 made(const Lean& lean, std::uint32_t group) {
  constexpr int E = lanes_of_16<T>;
  float v[E];
#pragma unroll
  for (int g = 0; g < E; g += 4) lean.template four<T, D>(v + g, group + g / 4);
  if constexpr (E == 4)
    return {__float_as_uint(v[0]), __float_as_uint(v[1]), __float_as_uint(v[2]),
            __float_as_uint(v[3])};
  else
    return {pack<T>(v[0], v[1]), pack<T>(v[2], v[3]), pack<T>(v[4], v[5]), pack<T>(v[6], v[7])};
}

template <class T, Distribution D>
__global__ void __launch_bounds__(threads)
    lean_draws(T* y, const __grid_constant__ Lean lean, std::int64_t n) {
  constexpr int E = lanes_of_16<T>, tile = threads * steps * E;
  const std::int64_t first = std::int64_t(blockIdx.x) * tile;
  const std::uint32_t group = blockIdx.x * (tile / 4) + threadIdx.x * (E / 4);
  T* const mine = y + first + threadIdx.x * E;
  if (first + tile <= n) {  // the same for the block
#pragma unroll
    for (int s = 0; s < steps; ++s)
      *reinterpret_cast<uint4*>(mine + s * threads * E) =
          made<T, D>(lean, group + s * threads * (E / 4));
    return;
  }
  const std::int64_t left = n - first - threadIdx.x * E;
#pragma unroll 1
  for (int s = 0; s < steps; ++s) {
    const uint4 words = made<T, D>(lean, group + s * threads * (E / 4));
    const auto& v = reinterpret_cast<const Vector<T, E>&>(words);
#pragma unroll
    for (int e = 0; e < E; ++e)
      if (s * threads * E + e < left) mine[s * threads * E + e] = v.at[e];
  }
}

template <class T, Distribution D>
void run(const Args& args, cudaStream_t stream) {
  const std::int64_t n = args.y.size();
  lean_draws<T, D><<<grid_x(n, threads * steps * lanes_of_16<T>), threads, 0, stream>>>(
      args.y.as<T>(), Lean::of(args), n);
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.y.size() == 0) return;
  dispatch_float(args.y.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if (args.distribution == Distribution::normal)
      run<T, Distribution::normal>(args, stream);
    else if (args.distribution == Distribution::uniform)
      run<T, Distribution::uniform>(args, stream);
    else
      run<T, Distribution::bernoulli>(args, stream);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string fits(const Args& args) {
  if (args.y.size() > std::int64_t(1) << 33) return "takes at most 2^33 elements";
  return args.y.is_aligned(16) ? "" : "its tensor must start at a multiple of 16 bytes";
}
std::string preferred(const Args& args) {
  return args.distribution == Distribution::normal ? "" : "timed for normal numbers only";
}

WARPATH_RUNG(Args, launch, .supports = fits, .preferred = preferred);

}  // namespace
}  // namespace warpath::noise
