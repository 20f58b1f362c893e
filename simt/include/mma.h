#pragma once

// nvcuda::wmma: matrices that the lanes of a warp hold together. The places of the elements in
// x[] are those of the mma instructions (simt/matrix_layout.h).

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <simt/wmma_fragment.h>

namespace nvcuda::wmma {

template <class Use, int M, int N, int K, class T, class Layout>
void fill_fragment(fragment<Use, M, N, K, T, Layout>& to,
                   const typename fragment<Use, M, N, K, T, Layout>::element_type& value) {
  for (auto& x : to.x) x = value;
}

template <class Use, int M, int N, int K, class T, class Layout>
void load_matrix_sync(fragment<Use, M, N, K, T, Layout>& to,
                      const typename fragment<Use, M, N, K, T, Layout>::storage_element_type* from,
                      unsigned stride, SIMT_HERE) {
  static_assert(!std::is_void_v<Layout>, "an accumulator is loaded with a layout_t");
  constexpr layout_t layout = std::is_same_v<Layout, row_major> ? mem_row_major : mem_col_major;
  simt::wmma_load(to, from, stride, layout, {file, line});
}
template <int M, int N, int K, class T>
void load_matrix_sync(fragment<accumulator, M, N, K, T>& to, const T* from, unsigned stride,
                      layout_t layout, SIMT_HERE) {
  simt::wmma_load(to, from, stride, layout, {file, line});
}

template <int M, int N, int K, class T>
void store_matrix_sync(T* to, const fragment<accumulator, M, N, K, T>& from, unsigned stride,
                       layout_t layout, SIMT_HERE) {
  for (int i = 0; i < from.num_elements; ++i) {
    to[simt::wmma_offset(from.place(simt::lane_id(), i), stride, layout)] = from.x[i];
  }
  // Whoever reads it next need not wait for the other lanes.
  simt::warp_word(simt::WarpOp::sync, 0xffffffffu, 0, {file, line});
}

template <int M, int N, int K, class In, class ALayout, class BLayout, class D, class C>
void mma_sync(fragment<accumulator, M, N, K, D>& d,
              const fragment<matrix_a, M, N, K, In, ALayout>& a,
              const fragment<matrix_b, M, N, K, In, BLayout>& b,
              const fragment<accumulator, M, N, K, C>& c, bool saturate = false, SIMT_HERE) {
  using Operands = simt::WmmaOperands<M, N, K, In, ALayout, BLayout, D, C>;
  Operands operands{&d, &a, &b, &c, saturate};
  simt::matrix_operation(&operands, &Operands::multiply, {file, line});
}

// The nearest number that has TF32's ten bits behind the point.
inline float __float_to_tf32(float x) {
  return simt::round_tf32(x);
}

}  // namespace nvcuda::wmma
