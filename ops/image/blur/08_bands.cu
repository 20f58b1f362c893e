// Bytes by the tensor cores: both passes are products with a band matrix, exact in integers.
//
// What changed: the memory has time for 14 instructions per byte; ten multiplications at half rate and what belongs to them need
// more. A blur along a row is a product: 16 results = (16 x 32 band of weights) x (32 elements), for 8 rows at once; 32 elements are
// enough for 5 x 5 of three channels. The weights need 12 bits and become two bytes, two products. The sums of 20 bits become two
// floats of 16 bits, 10 bits each, as they lie in the accumulators: those of two groups of 8 rows are the left matrix of the second
// pass, and the right one is the band of the weights down the columns. Four products for 128 results, and about 12 instructions per
// byte in all. No sum rounds: bytes in integers, the others below 2^24 in float.
// A block walks down a strip of 256 bytes; cp.async brings the next rows while it computes. Every row is blurred along once.
// Limit: for 5 x 5 the instructions and the memory alike; for 31 x 31 the tensor cores, of which mma.sync has little more than half.
#include <cuda_runtime.h>

#include "core/ptx/mma.cuh"
#include "ops/image/blur/bands.cuh"

namespace warpath::blur {
namespace {

// The sums along the rows of 16 columns x 8 rows. A lane's pairs of words are one load each: the order along k is free, so lane t has
// bytes 8t to 8t + 7 of 32.
template <class S>
__device__ __forceinline__ void sum_rows(Encoded& to, const Weights<S>& weights, const uint2* pairs,
                                         unsigned single, const Bands& bands) {
  int low[4] = {}, high[4] = {};
#pragma unroll
  for (int c = 0; c + 1 < S::words; c += 2) {
    const auto &l = weights.low[c], &m = weights.low[c + 1];
    const auto &h = weights.high[c], &i = weights.high[c + 1];
    ptx::mma_bytes(low, {l[0], l[1], m[0], m[1]}, pairs[c].x, pairs[c].y);
    if (S::has_high(c)) ptx::mma_bytes(high, {h[0], h[1], i[0], i[1]}, pairs[c].x, pairs[c].y);
  }
  if constexpr (S::words % 2 == 1) {
    constexpr int last = S::words - 1;
    ptx::mma_bytes(low, weights.low[last], single);
    if (S::has_high(last)) ptx::mma_bytes(high, weights.high[last], single);
  }
  unsigned sum[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) sum[k] = unsigned(S::box ? low[k] : high[k] * bands.scale + low[k]);
  to = encoded(sum, bands);
}

// The sums down the columns of 16 columns x 8 rows, from all groups of sums along the rows, of which the newest is at `slot`.
// As bytes, in bits 8 to 15.
template <class S>
__device__ __forceinline__ void sum_columns(unsigned (&result)[4], const Encoded (&sums)[S::downs],
                                            int slot, const Weights<S>& weights,
                                            const Bands& bands) {
  const float first = S::box ? bands.upper : 0.0f;
  float lower[4] = {}, upper[4] = {first, first, first, first};
#pragma unroll
  for (int d = 0; d + 1 < S::downs; d += 2) {
    const Encoded &a = sums[d], &b = sums[d + 1];
    const unsigned w0 = weights.of(slot, d), w1 = weights.of(slot, d + 1);
    ptx::mma<__half>(lower, {a.lower[0], a.lower[1], b.lower[0], b.lower[1]}, w0, w1);
    ptx::mma<__half>(upper, {a.upper[0], a.upper[1], b.upper[0], b.upper[1]}, w0, w1);
  }
  if constexpr (S::downs % 2 == 1) {
    constexpr int last = S::downs - 1;
    ptx::mma_half_k(lower, sums[last].lower, weights.of(slot, last));
    ptx::mma_half_k(upper, sums[last].upper, weights.of(slot, last));
  }
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const float sum = __fmaf_rd(lower[k], 1.0f / 512, upper[k]);
    result[k] = __float_as_uint(__fmaf_rd(sum, bands.factor, bands.bias));
  }
}

template <class S>
__global__ void __launch_bounds__(S::threads, S::blocks)
    blur_bands(const Byte* x, Byte* y, const __grid_constant__ Bands bands, Image image,
               bool aligned) {
  constexpr int downs = S::downs, wide = S::wide, pairs = wide + S::words / 2 * 2 - 2;
  __shared__ typename S::Storage storage;
  const int line = image.line(), first_row = blockIdx.y * S::rows, first_col = blockIdx.x * cols;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
  const int groups = (min(S::rows, image.height - first_row) + high - 1) / high + downs - 1;
  const bool whole = aligned && first_col >= S::side && first_col + cols + S::side <= line;
  const Byte* const from = x + blockIdx.z * image.size();
  // Where this lane reads its words, stores its results and takes its share of the rows that go out.
  int in_at = g * S::pitch + S::first_byte(warp) + 8 * t;
  int out_at = (warp * high + 2 * t) * S::out_pitch + 2 * g;
  int mine_at = (warp * high + g) * S::out_pitch + S::each * t;
  ptx::compute_here(in_at);
  ptx::compute_here(out_at);
  ptx::compute_here(mine_at);

  storage.comb.fill(bands, threadIdx.x, S::threads);
  __syncthreads();
  const Weights<S> weights(storage.comb, g, t);

  // This thread's vectors of the rows that come next.
  const Byte* ahead = from + std::int64_t(first_row - bands.radius) * line + first_col - S::side;
  int offset[S::rounds], into[S::rounds];
#pragma unroll
  for (int k = 0; k < S::rounds; ++k) {
    const int i = int(threadIdx.x) + k * S::threads, r = i / S::vectors, v = i % S::vectors;
    offset[k] = r * line + 16 * v;
    into[k] = r * S::pitch + 16 * v;
  }
  const auto fetch = [&](int group) {
    const int row = first_row - bands.radius + high * group, stage = group / S::batch % stages;
    if (group < groups && whole && row >= 0 && row + S::stage_rows <= image.height) {
#pragma unroll
      for (int k = 0; k < S::rounds; ++k)
        if (int(threadIdx.x) + k * S::threads < S::all_vectors)
          ptx::copy_async<16>(ptx::shared_address(&storage.in[stage][0][0] + into[k]),
                              ahead + offset[k]);
    } else if (group < groups) {
      fill<S>(storage.in[stage], from, row, first_col, bands, image, aligned);
    }
    ahead += std::int64_t(S::stage_rows) * line;
    ptx::copy_async_commit();
  };
#pragma unroll 1
  for (int s = 0; s < stages - 1; ++s) fetch(s * S::batch);

  const int e = first_col + warp * wide * across + S::each * t;
  int to_row = first_row + g;
  Byte* to = y + blockIdx.z * image.size() + std::int64_t(to_row) * line + e;
  Byte* const out = &storage.out[0][0][0];
  Encoded sums[wide][downs];  // of the last `downs` groups of 8 rows
  for (int first = 0; first < groups; first += downs) {
#pragma unroll
    for (int slot = 0; slot < downs; ++slot) {
      const int group = first + slot;
      if (group >= groups) break;
      if (slot % S::batch == 0) {
        ptx::copy_async_wait<stages - 2>();
        __syncthreads();
        fetch(group + (stages - 1) * S::batch);
      }
      const Byte* const row = &storage.in[group / S::batch % stages][slot % S::batch * high][0];
      uint2 in[pairs];
#pragma unroll
      for (int c = 0; c < pairs; ++c) in[c] = *reinterpret_cast<const uint2*>(row + in_at + 16 * c);
#pragma unroll
      for (int w = 0; w < wide; ++w) {
        const int last = in_at - 4 * t + 16 * (w + S::words - 1);
        const unsigned single = S::words % 2 == 1 ? word_at<unsigned>(row + last) : 0;
        sum_rows<S>(sums[w][slot], weights, in + w, single, bands);
      }
      if (group < downs - 1) continue;

#pragma unroll
      for (int w = 0; w < wide; ++w) {
        unsigned result[4];
        sum_columns<S>(result, sums[w], slot, weights, bands);
#pragma unroll
        for (int k = 0; k < 2; ++k)
          word_at<unsigned short>(out + out_at + k * S::out_pitch + across * w) =
              static_cast<unsigned short>(__byte_perm(result[k], result[k + 2], 0x51));
      }
      __syncwarp();
      if (to_row < image.height && e < line && aligned)
        word_at<typename S::Word>(to) = word_at<typename S::Word>(out + mine_at);
      else if (to_row < image.height)
#pragma unroll 1
        for (int n = 0; n < S::each && e + n < line; ++n) to[n] = out[mine_at + n];
      to_row += high;
      to += std::int64_t(high) * line;
      __syncwarp();
    }
  }
}

void launch(const Args& args, cudaStream_t stream) {
  check_size(args);
  if (args.x.size() == 0) return;
  const Bands bands = Bands::of(args);
  const Image image = Image::of(args.x);
  const bool aligned = image.line() % 16 == 0 && args.x.is_aligned(16) && args.y.is_aligned(16);
  dispatch_bands(bands, args.kind == Kind::box, [&](auto shape) {
    using S = decltype(shape);
    const dim3 grid(grid_x(image.line(), cols), grid_x(image.height, S::rows),
                    static_cast<unsigned>(args.x.shape[0]));
    blur_bands<S><<<grid, S::threads, 0, stream>>>(args.x.as<Byte>(), args.y.as<Byte>(), bands,
                                                   image, aligned);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string fits(const Args& args) {
  if (args.x.dtype != DType::u8) return "is for bytes";
  if (args.size > most_band) return "is for blurs of at most 33 x 33";
  if (args.size / 2 * args.x.shape[3] > 48) return "is for neighbours within 48 elements of a row";
  if (args.x.shape[0] > max_grid_z) return "is for at most 65535 images";
  return few_strips(args, least_rows);
}

WARPATH_RUNG(Args, launch, .supports = fits);

}  // namespace
}  // namespace warpath::blur
