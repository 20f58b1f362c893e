// The kernel of the third rungs: a tile of patches through shared memory, whole lines on both sides.
//
// A band is what one row of patches covers; its rows are those of all channels, channels * height of them, each
// cols * width long. In the image a band's rows are runs, in the tensor of patches the band is one run. A tile is some
// columns of patches of one band, or several whole bands. It lies in shared memory as in the image, row after row.
#pragma once
#include <numeric>

#include "core/host/device.cuh"
#include "core/host/launch.h"
#include "core/thread/divisor.cuh"
#include "core/thread/vector.cuh"
#include "ops/image/patchify/patchify.h"

namespace warpath::patchify {
namespace {

constexpr int tile_threads = 256;
constexpr int tile_bytes = 16 << 10;  // several blocks per multiprocessor
constexpr int most_bytes = 48 << 10;

// Sizes in pieces: the largest words that divide a patch's row and every address.
struct Tile {
  std::int64_t bands, line;           // line: a row of the image
  int channels, rows, height, width;  // rows of patches; a patch's height and width
  int band_rows;                      // channels * height
  int cols, tile_cols, groups;        // columns of patches, those of a tile, bands of a tile
  int pitch;                          // of a tile's rows in shared memory
  Divisor by_run, by_band_rows, by_height, by_patch, by_cols, by_width, by_rows;

  __device__ __forceinline__ int patch() const { return band_rows * width; }
  // The first piece of a row of a band, in the images; `band` is counted from the first band of image b.
  __device__ __forceinline__ std::int64_t row_in_image(std::int64_t b, int band, int row) const {
    const int over = by_rows.quotient(band), r = band - over * rows;
    const int c = by_height.quotient(row), h = row - c * height;
    return ((((b + over) * channels + c) * rows + r) * height + h) * line;
  }
};

// Moves the tile's rows between the image and shared memory, Wide pieces at once.
template <bool To, int Wide, class Piece>
__device__ __forceinline__ void move_rows(const Piece* image, Piece* written, Piece* shared,
                                          const Tile& t, std::int64_t band, int bands, int col,
                                          int cols) {
  const int run = t.tile_cols * t.width / Wide, rows = bands * t.band_rows;
  const std::int64_t b = band / t.rows;
  const int r = int(band - b * t.rows);
#pragma unroll 4
  for (int i = threadIdx.x; i < rows * run; i += tile_threads) {
    const int row = t.by_run.quotient(i), at = (i - row * run) * Wide;
    const int group = t.by_band_rows.quotient(row);
    if (at >= cols * t.width) continue;
    const std::int64_t place =
        t.row_in_image(b, r + group, row - group * t.band_rows) + col * t.width + at;
    Piece* const here = shared + row * t.pitch + at;
    if (To)
      store<Wide>(here, load_kept<Wide>(image + place));
    else
      store<Wide>(written + place, load<Wide>(here));
  }
}

// Moves the tile between the tensor of patches, where it is one run, and shared memory: one access of Wide pieces there,
// one of each piece here.
template <bool To, int Wide, class Piece>
__device__ __forceinline__ void move_patches(const Piece* patches, Piece* written, Piece* shared,
                                             const Tile& t, std::int64_t first, int pieces) {
#pragma unroll 2
  for (int i = threadIdx.x * Wide; i < pieces; i += tile_threads * Wide) {
    int patch = t.by_patch.quotient(i);
    const int rest = i - patch * t.patch();
    int row = t.by_width.quotient(rest), w = rest - row * t.width;
    int group = t.by_cols.quotient(patch), s = patch - group * t.tile_cols;
    Vector<Piece, Wide> v;
    if (!To) v = load_kept<Wide>(patches + first + i);
#pragma unroll
    for (int k = 0; k < Wide; ++k) {
      Piece& here = shared[(group * t.band_rows + row) * t.pitch + s * t.width + w];
      if (To)
        v.at[k] = here;
      else
        here = v.at[k];
      if (++w < t.width) continue;
      w = 0;
      if (++row < t.band_rows) continue;
      row = 0;
      if (++s < t.tile_cols) continue;
      s = 0;
      ++group;
    }
    if (To) store<Wide>(written + first + i, v);
  }
}

template <bool To, int Wide, class Piece>
__global__ void __launch_bounds__(tile_threads)
    tiled(const Piece* from, Piece* to, const __grid_constant__ Tile t) {
  extern __shared__ uint4 raw[];
  Piece* const shared = reinterpret_cast<Piece*>(raw);
  const int col = blockIdx.x * t.tile_cols;
  const int cols = min(t.tile_cols, t.cols - col);
  for (std::int64_t band = std::int64_t(blockIdx.y) * t.groups; band < t.bands;
       band += std::int64_t(gridDim.y) * t.groups) {
    const int bands = int(min(std::int64_t(t.groups), t.bands - band));
    const std::int64_t first = (band * t.cols + col) * t.patch();
    const int pieces = bands * cols * t.patch();
    if (To)
      move_rows<To, Wide>(from, to, shared, t, band, bands, col, cols);
    else
      move_patches<To, Wide>(from, to, shared, t, first, pieces);
    __syncthreads();
    if (To)
      move_patches<To, Wide>(from, to, shared, t, first, pieces);
    else
      move_rows<To, Wide>(from, to, shared, t, band, bands, col, cols);
    __syncthreads();  // before the next tile overwrites it
  }
}

// How the launcher cuts the work up, in bytes.
struct Cut {
  std::int64_t piece, row, patch, tile_cols, groups, pitch;
  bool wide;

  static Cut of(const Tensor& x, const Tensor& y) {
    const std::int64_t element = size_of(x.dtype), cols = x.shape[4];
    const auto address = [](const Tensor& t) {
      return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(t.data) & 15);
    };
    Cut c;
    c.row = x.shape[5] * element;
    c.patch = x.shape[1] * x.shape[3] * c.row;
    const std::int64_t aligned = std::gcd(std::gcd(address(x), address(y)), std::int64_t(16));
    c.piece = std::gcd(c.row, aligned);
    // As many columns as fit, the tiles of a band about equal, each a multiple of 16 bytes of an image's row.
    const std::int64_t fitting = std::clamp<std::int64_t>(tile_bytes / c.patch, 1, cols);
    const std::int64_t unit = 16 / std::gcd(c.row, std::int64_t(16));
    c.tile_cols = ceil_div(cols, ceil_div(cols, fitting));
    if (const std::int64_t up = ceil_div(c.tile_cols, unit) * unit; up * c.patch <= most_bytes)
      c.tile_cols = std::min(up, cols);
    c.wide = aligned == 16 && cols * c.row % 16 == 0 && cols * c.patch % 16 == 0 &&
             c.tile_cols * c.row % 16 == 0;
    // Eight threads that read 16 bytes each, in neighbouring rows of a patch, must meet different banks: the pitch is
    // as far past a multiple of 128 bytes as a patch's row.
    const std::int64_t band_rows = x.shape[1] * x.shape[3];
    const std::int64_t run = c.tile_cols * c.row, pad = (c.row % 128 - run % 128 + 128) % 128;
    c.pitch = c.piece == 16 && band_rows * (run + pad) <= most_bytes ? run + pad : run;
    c.groups =
        c.tile_cols < cols ? 1 : std::max<std::int64_t>(tile_bytes / (band_rows * c.pitch), 1);
    return c;
  }
  std::int64_t shared_bytes(const Tensor& x) const {
    return groups * x.shape[1] * x.shape[3] * pitch;
  }
};

template <bool To, int Wide, class Piece>
void launch_tiled(const Tensor& x, const Tensor& from, const Tensor& to, const Cut& c,
                  cudaStream_t stream) {
  const auto pieces = [](std::int64_t bytes) { return static_cast<int>(bytes / sizeof(Piece)); };
  const auto number = [](std::int64_t n) { return static_cast<int>(n); };
  const std::int64_t cols = x.shape[4], bands = x.shape[0] * x.shape[2];
  Tile t;
  t.bands = bands;
  t.line = cols * pieces(c.row);
  t.channels = number(x.shape[1]);
  t.rows = number(x.shape[2]);
  t.height = number(x.shape[3]);
  t.width = pieces(c.row);
  t.band_rows = number(x.shape[1] * x.shape[3]);
  t.cols = number(cols);
  t.tile_cols = number(c.tile_cols);
  t.groups = number(c.groups);
  t.pitch = pieces(c.pitch);
  t.by_run = Divisor::of(t.tile_cols * t.width / Wide);
  t.by_band_rows = Divisor::of(t.band_rows);
  t.by_height = Divisor::of(t.height);
  t.by_patch = Divisor::of(t.band_rows * t.width);
  t.by_cols = Divisor::of(t.tile_cols);
  t.by_width = Divisor::of(t.width);
  t.by_rows = Divisor::of(t.rows);
  const auto bytes = static_cast<std::size_t>(c.shared_bytes(x));
  const dim3 grid(static_cast<unsigned>(ceil_div(cols, c.tile_cols)),
                  static_cast<unsigned>(std::min<std::int64_t>(ceil_div(bands, c.groups), 65535)));
  auto* const kernel = tiled<To, Wide, Piece>;
  kernel<<<grid, tile_threads, bytes, stream>>>(from.as<Piece>(), to.as<Piece>(), t);
  CUDA_CHECK(cudaGetLastError());
}

template <bool To>
void run_tiled(const Tensor& x, const Tensor& y, cudaStream_t stream) {
  if (x.size() == 0) return;
  const Cut c = Cut::of(x, y);
  const Tensor &from = To ? x : y, &to = To ? y : x;
  const auto run = [&]<class Piece>(Piece) {
    constexpr int most = 16 / sizeof(Piece);
    if (c.wide)
      launch_tiled<To, most, Piece>(x, from, to, c, stream);
    else
      launch_tiled<To, 1, Piece>(x, from, to, c, stream);
  };
  if (c.piece == 16)
    launch_tiled<To, 1, uint4>(x, from, to, c, stream);
  else if (c.piece == 8)
    run(uint2{});
  else if (c.piece == 4)
    run(0u);
  else
    run(static_cast<unsigned short>(0));
}

inline std::string fits_tiled(const Tensor& x, const Tensor& y) {
  if (x.size() == 0) return "";
  if (x.size() / (x.shape[0] * x.shape[2]) >= std::int64_t(1) << 31)
    return "a row of patches must have less than 2^31 elements";
  if (Cut::of(x, y).shared_bytes(x) > most_bytes) return "a patch must fit into 48 KiB";
  return "";
}

// An H200 takes ViT-B/16's patches a sixth faster without the way through shared memory.
inline std::string narrow_patches(const Tensor& x) {
  return x.shape[5] * std::int64_t(size_of(x.dtype)) % 16 != 0
             ? ""
             : "rows of whole 16-byte vectors go straight: 02";
}

}  // namespace
}  // namespace warpath::patchify
