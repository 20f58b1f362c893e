// How an operand of wgmma lies in shared memory.
//
// A stage holds 128 bytes of k (64 elements of 16 bits, 32 of f32). TMA writes it in
// patches of 64 rows of 128 bytes, swizzled; the tensor cores read that layout as it is, K-major (k
// along the 128 bytes) or, for 16-bit types, MN-major (the other axis along them). So neither the
// forward nor the backward pass of a linear layer needs a transpose.
#pragma once
#include "core/ptx/tma.cuh"
#include "core/ptx/wgmma.cuh"

namespace warpath::hopper {

inline constexpr int patch_rows = 64, patch_bytes = patch_rows * 128, pattern_bytes = 8 * 128;

// The 16 bytes that hold byte `at` of a row of a patch, where the swizzle puts them.
__device__ __forceinline__ unsigned char* swizzled(unsigned char* patch, int row, int at) {
  return patch + row * 128 + ((at / 16) ^ (row % 8)) * 16 + at % 16;
}

// A panel's rows are a multiple of this: MN-major, it is made of patches side by side.
template <bool MnMajor>
inline constexpr int row_multiple = MnMajor ? patch_rows : 8;

// `Rows` rows of a, or columns of b, by one stage of k.
template <class T, int Rows, bool MnMajor, int Depth = 128 / sizeof(T)>
struct Panel {
  static constexpr bool mn_major = MnMajor;
  static constexpr int rows = Rows, depth = Depth, bytes = Rows * 128;
  static constexpr int box_rows = MnMajor ? depth : Rows;  // of one copy
  static constexpr int step = MnMajor ? 16 * 128 : 32;     // bytes from one product's k to the next
  static_assert(Rows % row_multiple<MnMajor> == 0 && box_rows <= 256);
  static_assert(MnMajor || Depth == 128 / sizeof(T));

  // issue(destination, box) for each copy that fills the panel.
  template <class Issue>
  __device__ __forceinline__ static void boxes(unsigned char* to, int row, int k, int batch,
                                               Issue issue) {
    if constexpr (MnMajor) {
#pragma unroll
      for (int p = 0; p < Rows / patch_rows; ++p)
        issue(to + p * patch_bytes, ptx::BoxPlace{row + p * patch_rows, k, batch});
    } else {
      issue(to, ptx::BoxPlace{k, row, batch});
    }
  }
  __device__ __forceinline__ static std::uint64_t descriptor(const unsigned char* panel) {
    return ptx::descriptor(panel, MnMajor ? patch_bytes : 16, pattern_bytes);
  }
};

}  // namespace warpath::hopper
