// A warp walks down the image with its sums in registers: every row is loaded once.
//
// What changed: 05 loads 12 rows for 8 results, all before its barrier, and the memory rests while the block computes. Here a lane owns 16 bytes
// of a row and a warp walks down 91 rows. A row that comes in counts for the five sums that need it, which stay in registers; five more
// rows are under way. The sum that is complete goes to shared memory, where its neighbours along the row are read: the outer lanes
// of a warp make sums for these only, so a warp waits for no other and the block has no barrier.
// About 19 instructions per element in 16 bits and 25 in 32; the memory has time for 28 and 56.
// Limit: the memory.
#include <cuda_runtime.h>

#include "core/host/launch.h"
#include "core/thread/floats.cuh"
#include "ops/image/blur/taps.cuh"

namespace warpath::blur {
namespace {

constexpr int warps = 4, threads = 32 * warps,
              rows = 91;  // with their halos, 19 times five and 31 times three

template <class T, int Radius, int Channels>
struct Walk {
  static constexpr int each = lanes_of_16<T>;  // elements per lane
  static constexpr int radius = Radius, channels = Channels;
  static constexpr int reach = Radius * Channels, size = 2 * Radius + 1;
  static constexpr int idle = ceil_div(reach, each);   // outer lanes on each side
  static constexpr int cols = (32 - 2 * idle) * each;  // results of a warp
  static constexpr int near = ceil_div(reach, 4) * 4;  // sums on each side, in whole vectors
  static constexpr int parts = each / 4;               // vectors of sums per lane
  using Row = float[parts][32][4];                     // no bank conflicts: lanes side by side
};

// Calls, as both are rare: inlined, they would part the instructions that are not.
__device__ __noinline__ int place_outside(int row, int height, Border border) {
  return place(row, height, border);
}
// The sums past the border are those of columns inside, which this warp has too, or zero. A lane each, `reach` on both sides.
template <class W>
__device__ __noinline__ void mirror(typename W::Row& sums, int first_col, int width,
                                    Border border) {
  constexpr int channels = W::channels;
  const int lane = threadIdx.x % 32;
  const int e = lane < W::reach ? lane - W::reach : width * channels + lane - W::reach;
  const int to = e - first_col;  // in the warp's row
  if (lane >= 2 * W::reach || to < 0 || to >= 32 * W::each) return;
  const int col = (e + W::reach) / channels - W::radius, c = e - col * channels;
  const int beside = place(col, width, border), from = beside * channels + c - first_col;
  sums[to % W::each / 4][to / W::each][to % 4] =
      beside < 0 ? 0.0f : sums[from % W::each / 4][from / W::each][from % 4];
}

template <int Radius, int Channels, class T>
__global__ void __launch_bounds__(threads, sizeof(T) == 2 ? 4 : 5)
    walk(const T* x, T* y, const __grid_constant__ Taps<T> taps, Image image) {
  using W = Walk<T, Radius, Channels>;
  constexpr int each = W::each, size = W::size;
  __shared__ alignas(16) typename W::Row shared[warps][2];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, line = image.line();
  const int first_row = blockIdx.y * rows, last = min(rows, image.height - first_row) + 2 * Radius;
  const int first_col = (blockIdx.x * warps + warp) * W::cols - W::idle * each;
  const int e = first_col + lane * each;
  const bool inside = e >= 0 && e < line, makes = inside && lane >= W::idle && lane < 32 - W::idle;
  const bool edge = first_col < 0 || first_col + 32 * each > line;
  if (first_col + W::idle * each >= line) return;  // the whole warp

  const T* const from = x + blockIdx.z * image.size() + e;
  const T* ahead = from + std::int64_t(first_row - Radius) * line;  // the next row to load
  const auto load_row = [&](int i) {
    const int row = first_row - Radius + i;
    const T* at = ahead;
    bool there = inside && i < last;
    if (row < 0 || row >= image.height) {
      const int other = place_outside(row, image.height, taps.border);
      there = there && other >= 0;
      at = from + std::int64_t(other) * line;
    }
    ahead += line;
    uint4 words = {};
    if (there) words = *reinterpret_cast<const uint4*>(at);
    return words;
  };
  uint4 next[size];
#pragma unroll
  for (int j = 0; j < size; ++j) next[j] = load_row(j);
  float sums[size][each];
  // Row i is in place i % size of `next`. It has weight k in the sum that began k rows before it.
  const auto add_row = [&](int i, int slot) {
    float value[each];
    to_floats(reinterpret_cast<const Vector<T, each>&>(next[slot]), value);
    next[slot] = load_row(i + size);
#pragma unroll
    for (int k = 0; k < size; ++k)
#pragma unroll
      for (int n = 0; n < each; ++n) {
        float& sum = sums[(slot - k + size) % size][n];
        sum = k == 0 ? taps[0] * value[n] : sum + taps[k] * value[n];
      }
  };
#pragma unroll
  for (int i = 0; i < 2 * Radius; ++i) add_row(i, i);
  T* to = y + blockIdx.z * image.size() + std::int64_t(first_row) * line + e;
  for (int first = 2 * Radius; first < last; first += size) {
#pragma unroll
    for (int j = 0; j < size; ++j) {
      if (first + j >= last) return;
      const int slot = (2 * Radius + j) % size;
      add_row(first + j, slot);
      const auto& mine = sums[(slot + 1) % size];  // complete
      auto& beside = shared[warp][(first + j) % 2];
#pragma unroll
      for (int p = 0; p < W::parts; ++p)
        store<4>(beside[p][lane], Vector<float, 4>{{mine[4 * p], mine[4 * p + 1], mine[4 * p + 2],
                                                    mine[4 * p + 3]}});
      __syncwarp();
      if (edge) {
        mirror<W>(beside, first_col, image.width, taps.border);
        __syncwarp();
      }
      if (makes) {
        float all[each + 2 * W::near];
#pragma unroll
        for (int v = 0; v < each + 2 * W::near; v += 4) {
          const int at = v - W::near + 32 * each;  // from 32 lanes before this one on
          const bool own = v >= W::near && v < W::near + each;
          Vector<float, 4> four = {};
          if (!own) four = load<4>(beside[at % each / 4][lane + at / each - 32]);
#pragma unroll
          for (int n = 0; n < 4; ++n) all[v + n] = own ? mine[v - W::near + n] : four.at[n];
        }
        float result[each] = {};
#pragma unroll
        for (int n = 0; n < each; ++n)
#pragma unroll
          for (int h = 0; h < size; ++h)
            result[n] += taps[h] * all[W::near - W::reach + n + h * Channels];
        store_once<each>(to, from_floats<T>(result));
      }
      to += line;
    }
  }
}

void launch(const Args& args, cudaStream_t stream) {
  check_size(args);
  if (args.x.size() == 0) return;
  dispatch_float(args.x.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const Image image = Image::of(args.x);
    const auto start = [&](auto* kernel, int cols) {
      const dim3 grid(grid_x(image.line(), warps * cols), grid_x(image.height, rows),
                      static_cast<unsigned>(args.x.shape[0]));
      kernel<<<grid, threads, 0, stream>>>(args.x.as<T>(), args.y.as<T>(), Taps<T>::of(args),
                                           image);
    };
    if (args.size == 3)
      image.channels == 1 ? start(walk<1, 1, T>, Walk<T, 1, 1>::cols)
                          : start(walk<1, 3, T>, Walk<T, 1, 3>::cols);
    else
      image.channels == 1 ? start(walk<2, 1, T>, Walk<T, 2, 1>::cols)
                          : start(walk<2, 3, T>, Walk<T, 2, 3>::cols);
  });
  CUDA_CHECK(cudaGetLastError());
}

std::string fits(const Args& args) {
  const std::int64_t channels = args.x.shape[3];
  if (args.x.dtype == DType::u8) return "is for floats; 08 is for bytes";
  if (args.size != 3 && args.size != 5) return "the blur must be 3 x 3 or 5 x 5";
  if (channels != 1 && channels != 3) return "pixels must have one or three channels";
  if (args.x.shape[2] * channels * std::int64_t(size_of(args.x.dtype)) % 16 != 0 ||
      !args.x.is_aligned(16) || !args.y.is_aligned(16))
    return "every row must start at a multiple of 16 bytes";
  if (args.x.shape[0] > max_grid_z) return "is for at most 65535 images";
  return few_strips(args, rows);
}
// As an H200 timed an earlier version: it was 5% ahead of 04 in bf16 and 21% behind it in f32.
std::string halves(const Args& args) {
  return args.x.dtype == DType::f32
             ? "an earlier version was slower than 04 in f32, and this one has no time yet"
             : "";
}

WARPATH_RUNG(Args, launch, .supports = fits, .preferred = halves);

}  // namespace
}  // namespace warpath::blur
