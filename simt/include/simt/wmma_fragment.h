#pragma once

// The fragments of nvcuda::wmma, and the product of them. Part of mma.h.

#include <simt/matrix_layout.h>
#include <simt/matrix_multiply.h>

#include <cstddef>

namespace nvcuda::wmma {

struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32 {};
}  // namespace precision

}  // namespace nvcuda::wmma

namespace simt {

namespace wmma = nvcuda::wmma;

// What an element is in a register and in memory.
template <class T>
struct WmmaStorage {
  using type = T;
};
template <>
struct WmmaStorage<wmma::precision::tf32> {
  using type = float;
};
template <class T>
using wmma_storage = typename WmmaStorage<T>::type;

template <class T>
inline constexpr bool is_tf32 = std::is_same_v<T, wmma::precision::tf32>;
template <class T>
inline constexpr bool is_byte = std::is_same_v<T, signed char> || std::is_same_v<T, unsigned char>;

// The shapes that there are.
template <int M, int N, int K, class T>
constexpr bool is_wmma_shape() {
  if constexpr (std::is_same_v<T, double>) return M == 8 && N == 8 && K == 4;
  if constexpr (is_tf32<T>) return M == 16 && N == 16 && K == 8;
  return K == 16 && ((M == 16 && N == 16) || (M == 32 && N == 8) || (M == 8 && N == 32));
}

// Lanes hold halves twice: that is how the first tensor cores wanted them.
template <int Rows, int Columns, class T>
inline constexpr int wmma_elements = std::is_same_v<T, __half> ? 16 : Rows* Columns / 32;

inline std::size_t wmma_offset(Place at, unsigned stride, wmma::layout_t layout) {
  return layout == wmma::mem_row_major
             ? static_cast<std::size_t>(at.row) * stride + static_cast<std::size_t>(at.column)
             : static_cast<std::size_t>(at.column) * stride + static_cast<std::size_t>(at.row);
}

}  // namespace simt

namespace nvcuda::wmma {

template <class Use, int M, int N, int K, class T, class Layout = void>
class fragment;

template <int M, int N, int K, class T, class Layout>
class fragment<matrix_a, M, N, K, T, Layout> {
  static_assert(simt::is_wmma_shape<M, N, K, T>(), "wmma has no such shape for this type");

 public:
  using element_type = simt::wmma_storage<T>;
  using storage_element_type = element_type;
  static constexpr int num_elements = simt::wmma_elements<M, K, T>;
  static constexpr int num_storage_elements = num_elements;

  static constexpr simt::Place place(unsigned lane, int i) {
    const int at = static_cast<int>(lane);
    if constexpr (std::is_same_v<T, double>) return {at / 4, at % 4};
    if constexpr (simt::is_tf32<T>) return simt::a_place_tf32(at, i);
    return simt::a_place<M>(at, i);
  }

  element_type x[num_elements];
};

template <int M, int N, int K, class T, class Layout>
class fragment<matrix_b, M, N, K, T, Layout> {
  static_assert(simt::is_wmma_shape<M, N, K, T>(), "wmma has no such shape for this type");

 public:
  using element_type = simt::wmma_storage<T>;
  using storage_element_type = element_type;
  static constexpr int num_elements = simt::wmma_elements<K, N, T>;
  static constexpr int num_storage_elements = num_elements;

  static constexpr simt::Place place(unsigned lane, int i) {
    const int at = static_cast<int>(lane);
    if constexpr (std::is_same_v<T, double>) return {at % 4, at / 4};
    if constexpr (simt::is_tf32<T>) return simt::b_place_tf32(at, i);
    return simt::b_place<N>(at, i);
  }

  element_type x[num_elements];
};

template <int M, int N, int K, class T>
class fragment<accumulator, M, N, K, T, void> {
 public:
  using element_type = T;
  using storage_element_type = T;
  static constexpr int num_elements = M * N / 32;
  static constexpr int num_storage_elements = num_elements;

  static constexpr simt::Place place(unsigned lane, int i) {
    return simt::accumulator_place<M, N>(static_cast<int>(lane), i);
  }

  T x[num_elements];
};

}  // namespace nvcuda::wmma

namespace simt {

// The lanes may have written what is loaded: they come together first.
template <class Fragment, class T>
void wmma_load(Fragment& to, const T* from, unsigned stride, wmma::layout_t layout, Site site) {
  warp_word(WarpOp::sync, 0xffffffffu, 0, site);
  for (int i = 0; i < to.num_elements; ++i) {
    to.x[i] = from[wmma_offset(to.place(lane_id(), i), stride, layout)];
  }
}

inline float round_tf32(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  if ((bits & 0x7f800000u) != 0x7f800000u) bits += 0x1000u;  // ties away from zero
  bits &= 0xffffe000u;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

// One lane's view of a product; multiply() sees those of all lanes.
template <int M, int N, int K, class In, class ALayout, class BLayout, class D, class C>
struct WmmaOperands {
  wmma::fragment<wmma::accumulator, M, N, K, D>* d;
  const wmma::fragment<wmma::matrix_a, M, N, K, In, ALayout>* a;
  const wmma::fragment<wmma::matrix_b, M, N, K, In, BLayout>* b;
  const wmma::fragment<wmma::accumulator, M, N, K, C>* c;
  bool saturate;

  // What the numbers are multiplied and summed as.
  using Factor = std::conditional_t<is_byte<In>, int,
                                    std::conditional_t<std::is_same_v<In, double>, double, float>>;
  using Sum = std::conditional_t<is_byte<In>, std::int64_t,
                                 std::conditional_t<std::is_same_v<In, double>, double, float>>;

  template <class T>
  static Factor factor(const T& x) {
    if constexpr (is_tf32<In>) {
      return truncate_tf32(x);
    } else {
      return static_cast<Factor>(x);
    }
  }

  static void multiply(void* const* data) {
    Factor a[M][K], b[K][N];
    Sum d[M][N];
    for (unsigned lane = 0; lane < 32; ++lane) {
      const auto& mine = *static_cast<const WmmaOperands*>(data[lane]);
      for (int i = 0; i < mine.a->num_elements; ++i) {
        const Place at = mine.a->place(lane, i);
        a[at.row][at.column] = factor(mine.a->x[i]);
      }
      for (int i = 0; i < mine.b->num_elements; ++i) {
        const Place at = mine.b->place(lane, i);
        b[at.row][at.column] = factor(mine.b->x[i]);
      }
      for (int i = 0; i < mine.c->num_elements; ++i) {
        const Place at = mine.c->place(lane, i);
        d[at.row][at.column] = static_cast<Sum>(mine.c->x[i]);
      }
    }
    multiply_dense<M, N, K>(a, b, d);
    for (unsigned lane = 0; lane < 32; ++lane) {
      const auto& mine = *static_cast<const WmmaOperands*>(data[lane]);
      for (int i = 0; i < mine.d->num_elements; ++i) {
        const Place at = mine.d->place(lane, i);
        mine.d->x[i] = mine.result(d[at.row][at.column]);
      }
    }
  }

  D result(const Sum& sum) const {
    if constexpr (is_byte<In>) {
      if (saturate && sum > INT32_MAX) return INT32_MAX;
      if (saturate && sum < INT32_MIN) return INT32_MIN;
      return static_cast<D>(static_cast<std::uint32_t>(sum));
    } else {
      return static_cast<D>(sum);
    }
  }
};

}  // namespace simt
