// Rows of q, k or v in shared memory, in 16 bits, as ldmatrix reads them without bank conflicts.
#pragma once
#include "core/ptx/cp_async.cuh"
#include "core/ptx/matrix.cuh"
#include "core/thread/convert.cuh"
#include "core/thread/vector.cuh"

namespace warpath::attention {

// Some rows of a head. `vectors`: each starts at a multiple of 16 bytes, and dim is a multiple of 8.
template <class T>
struct HeadRows {
  const T* data;
  std::int64_t pitch;
  int dim;
  bool vectors;

  __device__ __forceinline__ HeadRows from(int row) const {
    return {data + row * pitch, pitch, dim, vectors};
  }
};

// Rows x Dim, Dim a multiple of 32. The 16-byte chunks of a row are permuted by an XOR with the row's number, in groups
// of eight (of four where a row is no multiple of 128 bytes: two rows then have each other's banks), so that eight
// rows of a column of chunks, which ldmatrix reads at once, lie in all 32 banks.
template <class T, int Rows, int Dim>
struct SharedTile {
  static_assert(sizeof(T) == 2 && Dim % 32 == 0 && Rows % 16 == 0, "fragments of 16 x 16");
  static constexpr int E = 8;                          // elements of a chunk
  static constexpr int group = Dim % 64 == 0 ? 8 : 4;  // chunks that are permuted
  static constexpr int pitch = Dim * 2;                // bytes
  static constexpr int bytes = Rows * pitch;
  static constexpr int pairs = group / 2;

  static __device__ __forceinline__ int phase(int row) {
    return group == 8 ? row % 8 : row / 2 % 4;
  }

  // Rows [0, rows) from `from` on, zeros below them and beside dim. Asynchronously: the caller commits and waits.
  template <int Threads>
  static __device__ __forceinline__ void fetch(std::uint32_t to, const HeadRows<T>& from,
                                               int rows) {
    constexpr int down = Threads / group;  // rows at once
    static_assert(down % 8 == 0 && Rows % down == 0, "the same phase in all rounds");
    const int row = threadIdx.x / group, chunk = threadIdx.x % group;
    if (!from.vectors) return fetch_elements<Threads>(to, from, rows);
    to += row * pitch + (chunk ^ phase(row)) * 16;
    const T* at = from.data + row * from.pitch + chunk * E;
#pragma unroll
    for (int r = 0; r < Rows; r += down, at += down * from.pitch)
#pragma unroll
      for (int c = 0; c < Dim; c += group * E)
        ptx::copy_async<16>(to + r * pitch + c * 2, at + c,
                            row + r < rows && chunk * E + c < from.dim);
  }

  // Where this lane reads for ldmatrix. A row begins at a multiple of a group, so the permutation of a pair of chunks is an XOR
  // of the address, too; all other fragments lie at constant distances.
  struct Lane {
    std::uint32_t at;

    // `step`: pairs of chunks to the right.
    __device__ __forceinline__ std::uint32_t address(int row, int step) const {
      return (at ^ step % pairs * 32) + row * pitch + step / pairs * group * 16;
    }
  };
  // For a (rows x depth) and for b from memory with the depth down the rows: lanes 8 to 15 take the lower rows.
  static __device__ __forceinline__ Lane lane_down(std::uint32_t tile, int row) {
    const int lane = threadIdx.x % 32;
    return lane_at(tile, row + lane % 16, lane / 16);
  }
  // For b from memory with the depth along the rows: lanes 8 to 15 take the second chunk.
  static __device__ __forceinline__ Lane lane_along(std::uint32_t tile, int row) {
    const int lane = threadIdx.x % 32;
    return lane_at(tile, row + lane % 8 + lane / 16 * 8, lane / 8 % 2);
  }

  // The same with one register instead of `phases`, where registers are short: a step from the first fragment is an XOR of
  // bits that are no part of a row's address, and an addition. `column` is a multiple of 16 that need not be constant.
  struct Reader {
    std::uint32_t first;
    int column;

    __device__ __forceinline__ std::uint32_t address(int row, int step) const {
      const unsigned chunk = unsigned(column) / E + 2 * step;
      return (first ^ (chunk % group) * 16) + chunk / group * group * 16 + row * pitch;
    }
  };
  static __device__ __forceinline__ Reader reader_down(std::uint32_t tile, int row, int column) {
    const int lane = threadIdx.x % 32;
    return {place(tile, row + lane % 16, lane / 16), column};
  }
  static __device__ __forceinline__ Reader reader_along(std::uint32_t tile, int row, int column) {
    const int lane = threadIdx.x % 32;
    return {place(tile, row + lane % 8 + lane / 16 * 8, lane / 8 % 2), column};
  }

  static __device__ __forceinline__ std::uint32_t place(std::uint32_t tile, int row, int chunk) {
    return tile + row * pitch + (chunk ^ phase(row)) * 16;
  }

 private:
  static __device__ __forceinline__ Lane lane_at(std::uint32_t tile, int row, int chunk) {
    return {place(tile, row, chunk)};
  }

  template <int Threads>
  static __device__ __forceinline__ void fetch_elements(std::uint32_t to, const HeadRows<T>& from,
                                                        int rows) {
#pragma unroll 1
    for (int i = threadIdx.x; i < Rows * Dim; i += Threads) {
      const int row = i / Dim, col = i % Dim;
      T* const at = static_cast<T*>(
          __cvta_shared_to_generic(to + row * pitch + ((col / E) ^ phase(row)) * 16 + col % E * 2));
      *at = row < rows && col < from.dim ? from.data[row * from.pitch + col] : from_float<T>(0.0f);
    }
  }
};

}  // namespace warpath::attention
