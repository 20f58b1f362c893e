// A tile of 16-bit elements that `ldmatrix.trans` transposes, 8 x 8 at a time.
//
// The instruction loads four matrices of 8 x 8 transposed: each lane gets two neighbours of a
// column from each. The eight rows of a matrix may lie anywhere. Here they are chosen such that the
// four pairs of a lane come from eight consecutive rows: a whole vector of y.
//
//   matrix m, row 2q + s  is  row 8q + 2m + s of the tile        lane 4j + q gets rows 8q … 8q + 7 of column j
#pragma once
#include "core/ptx/address.cuh"
#include "core/ptx/matrix.cuh"

namespace warpath::transpose {

template <int Rows, int RowVectors>
struct MatrixTile {
  // As words: the compiler may store a vector of 16-bit elements in several accesses.
  using V = uint4;
  V vectors[Rows * RowVectors];

  // Where vector v of row i lies. The eight rows of a matrix differ in bits 3 and 4 and in bit 0: those three choose the
  // group of four banks.
  static __device__ __forceinline__ int place(int i, int v) {
    static_assert(RowVectors % 8 == 0);
    return i * RowVectors + (v ^ ((i >> 3 & 3) | (i & 1) << 2));
  }
  __device__ __forceinline__ V& vector(int i, int v) { return vectors[place(i, v)]; }

  // Called by all lanes of a warp. Takes the 32 rows from `top` on and the 8 columns of vector v:
  // lane l gets column l / 4, rows from l % 4 * 8 on.
  __device__ __forceinline__ V turned(int top, int v) const {
    const int lane = threadIdx.x % 32;
    const int row = lane % 8 / 2 * 8 + lane / 8 * 2 + lane % 2;  // whose address this lane gives
    std::uint32_t out[4];
    ptx::load_matrices_transposed(out, ptx::shared_address(&vectors[place(top + row, v)]));
    return {out[0], out[1], out[2], out[3]};
  }
};

}  // namespace warpath::transpose
