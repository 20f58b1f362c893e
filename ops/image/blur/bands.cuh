// The weights of rung 08 as the tensor cores want them: two band matrices, and the constants of the rounding.
#pragma once
#include <cuda_fp16.h>

#include <algorithm>
#include <type_traits>

#include "core/host/launch.h"
#include "core/ptx/compute_here.cuh"
#include "core/ptx/cp_async.cuh"
#include "ops/image/blur/taps.cuh"

namespace warpath::blur {

inline constexpr int most_band = 33;  // taps
inline constexpr int across = 16;     // results of a product along a row: 16 columns, 8 rows

// A weight along the row is scale * high + low, all of them bytes: scale = 1 where 255 + 255 is enough, otherwise 64.
// After the second pass, `upper` and `lower` are the sums of the upper and the lower 10 bits of the first pass's sums as encoded()
// makes them: 2 * upper bits + 2048, lower bits + 1024. A result is byte 1 of floor((upper + lower / 512) * factor + bias), a float
// between 2^23 and 2^24, whose last digit is 1.
struct Bands {
  int radius, reach;  // in pixels, in elements
  int high_reach;     // the same of the weights with a high part; -1: none has one
  int channels;
  Divisor by_channels;
  Border border;
  int scale;
  float upper;  // to begin with
  float factor, bias;
  // Two f16 of 1024, and of 2048. Not constants of the kernel: an instruction takes one constant only.
  unsigned ones_lower, ones_upper;
  unsigned short weight[most_band];
  unsigned char low[most_band], high[most_band];

  static Bands of(const Args& args) {
    Bands b = {};
    const auto size = static_cast<int>(args.size);
    b.radius = size / 2;
    b.channels = static_cast<int>(args.x.shape[3]);
    b.by_channels = Divisor::of(b.channels);
    b.reach = b.radius * b.channels;
    b.border = args.border;
    b.ones_lower = 0x64006400u;
    b.ones_upper = 0x68006800u;
    const std::vector<unsigned> q = byte_weights(args);
    b.high_reach = -1;
    b.scale = *std::max_element(q.begin(), q.end()) <= 510 ? 1 : 64;
    for (std::size_t k = 0; k < q.size(); ++k) {
      const unsigned high = b.scale == 1 ? q[k] - std::min(q[k], 255u) : q[k] / 64;
      if (high > 0 && b.high_reach < 0)
        b.high_reach = (b.radius - static_cast<int>(k)) * b.channels;
      b.weight[k] = static_cast<unsigned short>(q[k]);
      b.high[k] = static_cast<unsigned char>(high);
      b.low[k] = static_cast<unsigned char>(q[k] - static_cast<unsigned>(b.scale) * high);
    }
    constexpr float last_digit_1 = 1 << 23;
    if (args.kind == Kind::box) {
      // Without what the encoding adds, upper + lower / 512 is sum / 512, exactly. The area is odd: sum / area + 1 / 2 is not closer
      // to an integer than 1 / (2 area), so a rounded factor does no harm.
      b.upper = -2050.0f * static_cast<float>(size);
      b.factor = 512.0f * 256.0f / static_cast<float>(size * size);
      b.bias = last_digit_1 + 128;
    } else {
      // The weights add up to 4096, so `upper` is 2^23 and more, and upper + lower / 512 rounded down is 2^23 + 2^13 + sum / 512
      // without its fraction. What is divided by 2^15 then lacks another 2^13 to round.
      b.upper = 0;
      b.factor = 1.0f / 128;
      b.bias = last_digit_1 - last_digit_1 / 128 + 64;
    }
    return b;
  }
};

// The matrix of the first pass is 16 columns x (16 * Words) elements from Halo before the first column on; column o has the weight
// of tap (k - o - Halo + reach) / channels at element k. Shared memory holds one row of it four times, shifted by 0 to 3 bytes,
// so that any four neighbouring elements of it are one aligned word.
template <int Words, int Halo>
struct Comb {
  static constexpr int bytes = across * (Words + 1);
  alignas(4) unsigned char at[2][4][bytes];  // low and high
  __half down[8 * 8];                        // the weights of the second pass, zeros around them

  __device__ __forceinline__ void fill(const Bands& b, int thread, int threads) {
    for (int i = thread; i < 4 * bytes; i += threads) {
      const int shift = i / bytes, j = i % bytes;
      const int from = j - shift - across - Halo + b.reach;
      const int tap = b.by_channels.quotient(max(from, 0));
      const bool there = tap * b.channels == from && tap <= 2 * b.radius;
      at[0][shift][j] = there ? b.low[tap] : 0;
      at[1][shift][j] = there ? b.high[tap] : 0;
    }
    for (int i = thread; i < 64; i += threads) {
      const int tap = i - 7;
      down[i] = tap >= 0 && tap <= 2 * b.radius ? __ushort2half_rn(b.weight[tap]) : __half(0.0f);
    }
  }
  // Elements k to k + 3 of column o.
  __device__ __forceinline__ unsigned word(int part, int o, int k) const {
    return *reinterpret_cast<const unsigned*>(&at[part][o % 4][k - o / 4 * 4 + across]);
  }
  // Rows k and k + 1 of output row n.
  __device__ __forceinline__ unsigned pair(int n, int k) const {
    const __half2 two = {down[k - n + 7], down[k - n + 8]};
    return reinterpret_cast<const unsigned&>(two);
  }
};

// Bytes as a word of theirs.
template <class Word>
__device__ __forceinline__ const Word& word_at(const unsigned char* p) {
  return *reinterpret_cast<const Word*>(p);
}
template <class Word>
__device__ __forceinline__ Word& word_at(unsigned char* p) {
  return *reinterpret_cast<Word*>(p);
}

// Four sums of the first pass, below 2^20, as the tensor cores left them: two neighbouring rows of two columns. The lower and the
// upper 10 bits as floats of 16 bits, two to a word: 1024 + bits, whose last digit is 1, and 2048 + 2 * bits, where it is 2.
struct Encoded {
  unsigned lower[2], upper[2];
};
__device__ __forceinline__ Encoded encoded(const unsigned (&sum)[4], const Bands& b) {
  Encoded e;
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    const unsigned s0 = sum[2 * k], s1 = sum[2 * k + 1];
    e.lower[k] = (__byte_perm(s0, s1, 0x5410) & 0x03ff03ffu) | b.ones_lower;
    e.upper[k] = (__byte_perm(s0, s1, 0x6521) >> 2 & 0x03ff03ffu) | b.ones_upper;
  }
  return e;
}

using Byte = unsigned char;
inline constexpr int cols = 256, high = 8,
                     stages = 4;        // of a strip; rows of a step; steps in flight
inline constexpr int least_rows = 216;  // of a strip, where 8 results need two groups of 8 rows
enum class High { box, middle, all };   // which words have a high part; a box has none

// Words: pieces of 16 bytes of a row that 16 results need. Downs: groups of 8 rows that 8 results need. Wide: groups of 16 results
// per warp.
template <int Words, int Downs, int Wide, High Part>
struct Shape {
  static constexpr int words = Words, downs = Downs, wide = Wide;
  static constexpr int threads = 32 * cols / (across * Wide), blocks = Downs == 2  ? 5
                                                                       : Wide == 4 ? 3
                                                                                   : 2;
  static constexpr int halo = Words == 2 ? 8 : Words == 3 ? 16 : 48;  // the most a result reaches
  static constexpr int side = ceil_div(halo, 16) * 16;  // loaded on each side of the strip
  static constexpr int batch = Downs == 2 ? 2 : 1;      // groups of 8 rows that come together
  static constexpr int stage_rows = batch * high;
  static constexpr int vectors = (cols + 2 * side) / 16, all_vectors = stage_rows * vectors;
  static constexpr int rounds = ceil_div(all_vectors, threads);
  static constexpr int pitch =
      16 * vectors;  // 32 or 96 bytes more than a multiple of 128: no bank conflicts
  static constexpr int rows = Downs == 2 ? least_rows : 272;  // of a strip: 2160 are 10 or 8
  static constexpr int each = across * Wide / 4;              // bytes of a lane, four lanes per row
  using Word = std::conditional_t<each == 16, uint4, uint2>;
  static constexpr int out_pitch = across * Wide + 16;
  struct Storage {
    alignas(16) Byte in[stages][stage_rows][pitch];
    alignas(16) Byte out[threads / 32][high][out_pitch];
    Comb<Words, halo> comb;
  };
  static constexpr bool box = Part == High::box;
  static constexpr int orders =
      Downs == 2 ? 2 : 1;  // of the weights down, in registers of their own
  // Words c and c + 1.
  static constexpr bool has_high(int c) {
    return Part == High::all || (Part == High::middle && c >= 2 && c < 6);
  }
  static constexpr __device__ int first_byte(int warp) {
    return side - halo + warp * Wide * across;
  }
};

// A lane's part of both matrices. Rows g and g + 8 of the first are columns 2g and 2g + 1 of the image: neighbours, for the store.
template <class S>
struct Weights {
  unsigned low[S::words][2], high[S::words][2], down[S::orders][S::downs];

  __device__ __forceinline__ Weights(const decltype(S::Storage::comb)& comb, int g, int t) {
#pragma unroll
    for (int c = 0; c < 2 * S::words; ++c) {
      const int word = c / 2, h = c % 2;
      const bool single = word == S::words - 1 && word % 2 == 0;
      const int k = single ? 16 * word + 4 * t : word / 2 * 32 + 8 * t + word % 2 * 4;
      low[word][h] = comb.word(0, 2 * g + h, k);
      high[word][h] = comb.word(1, 2 * g + h, k);
    }
#pragma unroll
    for (int i = 0; i < S::orders * S::downs; ++i) {
      const int order = i / S::downs, d = i % S::downs;
      int pair = int(comb.pair(g, (S::orders > 1 ? (d + 1 + order) % 2 : d) * 8 + 2 * t));
      ptx::compute_here(pair);  // both orders stay in registers
      down[order][d] = unsigned(pair);
    }
  }
  // For the group of rows in place d, when the newest is in place `slot` and the oldest after it.
  __device__ __forceinline__ unsigned of(int slot, int d) const {
    return S::orders > 1 ? down[slot][d] : down[0][(d + 2 * S::downs - slot - 1) % S::downs];
  }
};

// The rows of a stage from `row` on, resolved at the borders. A call: inlined, what it divides by would occupy registers all the way.
template <class S>
__device__ __noinline__ void fill(Byte (&to)[S::stage_rows][S::pitch], const Byte* image_from,
                                  int row, int first_col, const Bands& bands, const Image& image,
                                  bool aligned) {
  const int line = image.line(), start = first_col - S::side;
#pragma unroll 1
  for (int i = threadIdx.x; aligned && i < S::all_vectors; i += S::threads) {
    const int r = i / S::vectors, v = i % S::vectors, e = start + 16 * v;
    const int at = place(row + r, image.height, bands.border);
    if (e >= 0 && e < line)
      ptx::copy_async<16>(ptx::shared_address(&to[r][16 * v]),
                          image_from + std::int64_t(max(at, 0)) * line + e, at >= 0);
  }
  // The bytes that no whole vector has: `left` before the line, and those from `after` on.
  const int left = aligned && start < 0 ? S::side : 0;
  const int after = aligned ? min(S::pitch, line - start) : 0, count = left + S::pitch - after;
  constexpr int together = 4;  // loads of a thread that are under way at once
#pragma unroll 1
  for (int i = threadIdx.x; i < S::stage_rows * count; i += together * S::threads) {
    Byte value[together];
#pragma unroll
    for (int u = 0; u < together; ++u) {
      const int r = (i + u * S::threads) / count, j = (i + u * S::threads) % count;
      const int e = start + (j < left ? j : after + j - left);
      const int at = place(row + r, image.height, bands.border);
      const bool near = r < S::stage_rows && e >= -bands.reach && e < line + bands.reach && at >= 0;
      const int col = bands.by_channels.quotient(max(e + bands.reach, 0)) - bands.radius;
      const int beside = near ? place(col, image.width, bands.border) : -1;
      value[u] = beside < 0
                     ? Byte(0)
                     : image_from[std::int64_t(at) * line + e + (beside - col) * bands.channels];
    }
#pragma unroll
    for (int u = 0; u < together; ++u) {
      const int r = (i + u * S::threads) / count, j = (i + u * S::threads) % count;
      if (r < S::stage_rows) to[r][j < left ? j : after + j - left] = value[u];
    }
  }
}

// f(a Shape): the smallest for these weights.
template <class F>
void dispatch_bands(const Bands& b, bool box, F&& f) {
  const bool small = b.radius <= 4 && b.reach <= 8, near = b.reach <= 16;
  if (box)
    small  ? f(Shape<2, 2, 4, High::box>{})
    : near ? f(Shape<3, 5, 2, High::box>{})
           : f(Shape<7, 5, 4, High::box>{});
  else if (small || near)
    small ? f(Shape<2, 2, 4, High::all>{}) : f(Shape<3, 5, 2, High::all>{});
  else
    b.high_reach <= 16 ? f(Shape<7, 5, 4, High::middle>{}) : f(Shape<7, 5, 4, High::all>{});
}

}  // namespace warpath::blur
