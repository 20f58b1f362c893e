// No bounds checks: whole tiles only.
//
// What changed: the matrix is a whole number of tiles, so there are no bounds checks, and it has
// fewer than 2^31 elements, so every offset is a 32-bit number. A tile is 64 rows of 256 bytes for
// all types, and 512 threads move it, two vectors each: 16-bit elements are transposed as in 06,
// 32-bit ones are gathered as in 04. Stores carry no cache hint; those of 04 say "evict first".
// Limit: the memory.
#include "core/host/error.h"
#include "core/thread/vector.cuh"
#include "ops/layout/transpose/matrices.cuh"
#include "ops/layout/transpose/tile.cuh"
#include "ops/layout/transpose/transpose.h"

namespace warpath::transpose {
namespace {

constexpr int threads = 512;
constexpr int down = 64, row_vectors = 16;  // of a tile: rows, and vectors of 16 bytes in a row
constexpr int each = down * row_vectors / threads;
constexpr std::int64_t most_tiles_across = 65535;  // the second axis of a grid

// Where a vector of y comes from: column j of the tile, rows v * E on.
struct Place {
  unsigned j, v;
};

// 64 x 128 elements of 16 bits. A warp transposes one column of vectors, in two halves of 32 rows.
struct Tile16 : MatrixTile<down, row_vectors> {
  static constexpr int E = 8;

  static __device__ __forceinline__ Place place_of(int q) {
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    return {warp * E + lane / 4, q * 4 + lane % 4};
  }
  __device__ __forceinline__ V turned(int q) const {
    return MatrixTile::turned(q * 32, int(threadIdx.x / 32));
  }
};

// 64 x 64 elements of 32 bits. A warp gathers 8 vectors of each of 4 columns. The rows of a vector
// of y have the same swizzle, so its elements lie a tile row apart: one address serves all.
struct Tile32 : SwizzledTile<std::uint32_t, down, row_vectors> {
  static __device__ __forceinline__ Place place_of(int q) {
    return {threadIdx.x / 8, q * 8 + threadIdx.x % 8};
  }
  __device__ __forceinline__ V turned(int q) const {
    const auto [j, v] = place_of(q);
    const V* const first = &vectors[place(v * E, j / E)];
    V out;
#pragma unroll
    for (int e = 0; e < E; ++e) out.at[e] = first[e * row_vectors].at[j % E];
    return out;
  }
};

// x and y as vectors; x_row and y_row are the vectors per row.
template <class Tile, class V = typename Tile::V>
__global__ void __launch_bounds__(threads) whole(const V* x, V* y, unsigned x_row, unsigned y_row) {
  __shared__ Tile tile;
  const unsigned i = threadIdx.x / row_vectors, v = threadIdx.x % row_vectors;
  constexpr unsigned step = threads / row_vectors;  // rows that all threads load at once

  V in[each];
  const unsigned from = (blockIdx.x * down + i) * x_row + blockIdx.y * row_vectors + v;
#pragma unroll
  for (int q = 0; q < each; ++q) in[q] = x[from + q * step * x_row];
#pragma unroll
  for (int q = 0; q < each; ++q) tile.vector(i + q * step, v) = in[q];
  __syncthreads();

  V out[each];
#pragma unroll
  for (int q = 0; q < each; ++q) out[q] = tile.turned(q);
  constexpr unsigned across = row_vectors * Tile::E, y_vectors = down / Tile::E;
#pragma unroll
  for (int q = 0; q < each; ++q) {
    const Place at = Tile::place_of(q);
    y[(blockIdx.y * across + at.j) * y_row + blockIdx.x * y_vectors + at.v] = out[q];
  }
}

template <class Tile>
void launch_whole(const Args& args, cudaStream_t stream) {
  using V = typename Tile::V;
  const auto rows = unsigned(args.x.shape[0]), cols = unsigned(args.x.shape[1]);
  constexpr unsigned E = Tile::E;
  const dim3 tiles(rows / down, cols / (row_vectors * E));
  whole<Tile><<<tiles, threads, 0, stream>>>(static_cast<const V*>(args.x.data),
                                             static_cast<V*>(args.y.data), cols / E, rows / E);
}

void launch(const Args& args, cudaStream_t stream) {
  if (args.x.shape[0] * args.x.shape[1] == 0) return;
  if (size_of(args.x.dtype) == 2)
    launch_whole<Tile16>(args, stream);
  else
    launch_whole<Tile32>(args, stream);
  CUDA_CHECK(cudaGetLastError());
}

std::string fits(const Args& args) {
  const std::int64_t rows = args.x.shape[0], cols = args.x.shape[1];
  const std::int64_t across = row_vectors * 16 / std::int64_t(size_of(args.x.dtype));
  const auto* x = static_cast<const char*>(args.x.data);
  const auto* y = static_cast<const char*>(args.y.data);
  if (rows % down != 0 || cols % across != 0)
    return "whole tiles only: rows a multiple of 64, columns of 128 in 16-bit types and of 64 in "
           "32-bit ones";
  if (!all_aligned(16, x, y)) return "only x and y that start at 16-byte boundaries";
  if (rows * cols >= std::int64_t(1) << 31) return "fewer than 2^31 elements only";
  if (cols / across > most_tiles_across) return "at most 65535 tiles across";
  return {};
}

WARPATH_RUNG(Args, launch, .supports = fits);

}  // namespace
}  // namespace warpath::transpose
