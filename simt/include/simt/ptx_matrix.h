#pragma once

// PTX's matrix instructions: mma.sync, ldmatrix and stmatrix.

#include <simt/matrix_layout.h>
#include <simt/ptx_values.h>
#include <simt/small_float.h>
#include <simt/tensor_core.h>

#include <cstdint>

namespace simt::ptx {

enum class Format { f16, bf16, tf32, s8, u8, e4m3, e5m2 };

constexpr int elements_per_register(Format f) {
  return f == Format::tf32 ? 1 : f == Format::f16 || f == Format::bf16 ? 2 : 4;
}
constexpr bool is_whole(Format f) {
  return f == Format::s8 || f == Format::u8;
}
constexpr Element element_of(Format f) {
  return f == Format::f16    ? Element::f16
         : f == Format::bf16 ? Element::bf16
         : f == Format::tf32 ? Element::tf32
         : f == Format::e4m3 ? Element::e4m3
                             : Element::e5m2;
}

// Element i of a lane's registers.
template <Format F>
auto matrix_element(const unsigned* registers, int i) {
  constexpr int per = elements_per_register(F);
  const unsigned bits = registers[i / per] >> i % per * (32 / per % 32);
  if constexpr (F == Format::tf32) return truncate_tf32(as<float>(bits));
  if constexpr (F == Format::f16) return half_to_float(static_cast<unsigned short>(bits));
  if constexpr (F == Format::bf16) return bfloat16_to_float(static_cast<unsigned short>(bits));
  if constexpr (F == Format::s8) return static_cast<int>(static_cast<signed char>(bits));
  if constexpr (F == Format::u8) return static_cast<int>(static_cast<unsigned char>(bits));
  if constexpr (F == Format::e5m2) return half_to_float(static_cast<unsigned short>(bits << 8));
  if constexpr (F == Format::e4m3) return e4m3_to_float(static_cast<unsigned char>(bits));
}

template <int K, Format FA, Format FB, bool Saturates, class Sum, int ARegisters, int BRegisters,
          int CRegisters>
struct MmaOperands {
  static constexpr int per_register = elements_per_register(FA);
  using In = std::conditional_t<is_whole(FA), int, float>;

  Array<unsigned, ARegisters> a;
  Array<unsigned, BRegisters> b;
  Array<Sum, CRegisters> c;

  // With K = 8 (or 4) the operands are the first half of those with twice as many.
  static Place a_at(int lane, int i) {
    if (per_register == 4) {
      return {lane / 4 + i / 4 % 2 * 8, lane % 4 * 4 + i % 4 + i / 8 * 16};
    }
    return per_register == 1 ? a_place_tf32(lane, i) : a_place<16>(lane, i);
  }
  static Place b_at(int lane, int i) {
    if (per_register == 4) return {lane % 4 * 4 + i % 4 + i / 4 * 16, lane / 4};
    return per_register == 1 ? b_place_tf32(lane, i) : b_place<8>(lane, i);
  }
  In sum(int i) const {
    if constexpr (std::is_same_v<Sum, unsigned>) {
      return half_to_float(static_cast<unsigned short>(c[i / 2] >> (i % 2 * 16)));
    } else {
      return c[i];
    }
  }

  static void multiply(void* const* data) {
    In a[16][K], b[K][8], d[16][8];
    for (int lane = 0; lane < 32; ++lane) {
      const auto& mine = *static_cast<const MmaOperands*>(data[lane]);
      for (int i = 0; i < ARegisters * per_register; ++i) {
        const Place at = a_at(lane, i);
        a[at.row][at.column] = matrix_element<FA>(mine.a.value, i);
      }
      for (int i = 0; i < BRegisters * per_register; ++i) {
        const Place at = b_at(lane, i);
        b[at.row][at.column] = matrix_element<FB>(mine.b.value, i);
      }
      for (int i = 0; i < 4; ++i) {
        const Place at = accumulator_place<16, 8>(lane, i);
        d[at.row][at.column] = mine.sum(i);
      }
    }
    compute(a, b, d);
    for (int lane = 0; lane < 32; ++lane) {
      auto& mine = *static_cast<MmaOperands*>(data[lane]);
      In mine_d[4];
      for (int i = 0; i < 4; ++i) {
        const Place at = accumulator_place<16, 8>(lane, i);
        mine_d[i] = d[at.row][at.column];
      }
      mine.set(mine_d);
    }
  }

  static void compute(const In (&a)[16][K], const In (&b)[K][8], In (&d)[16][8]) {
    if constexpr (is_whole(FA)) {
      for (int m = 0; m < 16; ++m) {
        for (int n = 0; n < 8; ++n) {
          long long sum = d[m][n];
          for (int k = 0; k < K; ++k) sum += static_cast<long long>(a[m][k]) * b[k][n];
          constexpr long long low = -0x80000000ll, high = 0x7fffffffll;
          d[m][n] = static_cast<int>(!Saturates ? sum : sum < low ? low : sum > high ? high : sum);
        }
      }
    } else if (tensor_cores_are_exact()) {
      constexpr Element element = element_of(FA);
      constexpr bool half_sum = std::is_same_v<Sum, unsigned>;
      if constexpr (element == Element::e4m3 || element == Element::e5m2) {
        // An sm_90 widens bytes to halves and multiplies those: two of the four bytes of each
        // register, then the others.
        for (int half = 0; half < 2; ++half) {
          In of_a[16][K / 2], of_b[K / 2][8];
          for (int k = 0; k < K / 2; ++k) {
            const int from = k / 2 * 4 + half * 2 + k % 2;
            for (int m = 0; m < 16; ++m) of_a[m][k] = a[m][from];
            for (int n = 0; n < 8; ++n) of_b[k][n] = b[from][n];
          }
          multiply_exact(&d[0][0], &of_a[0][0], &of_b[0][0], 8, K / 2, Element::f16, half_sum);
        }
      } else {
        multiply_exact(&d[0][0], &a[0][0], &b[0][0], 8, K, element, half_sum);
      }
    } else {
      multiply_dense<16, 8, K>(a, b, d);
    }
  }

  void set(const In (&sums)[4]) {
    for (int i = 0; i < CRegisters; ++i) {
      if constexpr (std::is_same_v<Sum, unsigned>) {
        c.value[i] = float_to_half(sums[2 * i]) |
                     static_cast<unsigned>(float_to_half(sums[2 * i + 1])) << 16;
      } else {
        c.value[i] = sums[i];
      }
    }
  }
};

template <int K, Format FA, Format FB, bool Saturates, int A, int B, class Sum, int C>
Array<Sum, C> mma_m16n8(const Array<unsigned, A>& a, const Array<unsigned, B>& b,
                        const Array<Sum, C>& c, SIMT_HERE) {
  using Operands = MmaOperands<K, FA, FB, Saturates, Sum, A, B, C>;
  static_assert(A * 32 * Operands::per_register == 16 * K && B * 2 == A,
                "mma: wrong number of registers");
  static_assert(C == (std::is_same_v<Sum, unsigned> ? 2 : 4), "mma: wrong number of registers");
  Operands operands{a, b, c};
  matrix_operation(&operands, &Operands::multiply, {file, line});
  return operands.c;
}

template <int Count, bool Transposed>
struct MatrixRows {
  unsigned short* row;  // lanes 8*i to 8*i+7 bring the rows of matrix i
  Array<unsigned, Count> words;
  Array<unsigned short, 8> made;  // of stmatrix: what the row will hold

  // Calls visit(lane of a row, column, word of a lane, which half of it) for each element.
  template <class Visit>
  static void for_each(void* const* data, Visit visit) {
    const auto lane_at = [&](int lane) { return static_cast<MatrixRows*>(data[lane]); };
    for (int lane = 0; lane < 32; ++lane) {
      for (int i = 0; i < Count; ++i) {
        for (int half = 0; half < 2; ++half) {
          int row = lane / 4, column = lane % 4 * 2 + half;
          if (Transposed) {
            const int other = row;
            row = column;
            column = other;
          }
          visit(*lane_at(i * 8 + row), column, lane_at(lane)->words.value[i], half * 16);
        }
      }
    }
  }

  static void load(void* const* data) {
    for_each(data, [](const MatrixRows& from, int column, unsigned& word, int shift) {
      word |= static_cast<unsigned>(from.row[column]) << shift;
    });
  }
  static void store(void* const* data) {
    for_each(data, [](MatrixRows& to, int column, unsigned word, int shift) {
      to.row[column] = to.made.value[column] = static_cast<unsigned short>(word >> shift);
    });
  }

  static unsigned short* row_at(unsigned long long address, const char* misaligned, Site site) {
    if (lane_id() < Count * 8 && address % 16 != 0) {
      fault(cudaErrorMisalignedAddress, misaligned, site);
    }
    return static_cast<unsigned short*>(shared_at(address));
  }
};

// To who counts accesses: the lane's row of 16 bytes.
void tell_matrix_row(const void* row);
#ifdef __SIMT_XRAY__
#define SIMT_AT_ITS_LINE [[gnu::always_inline]] inline
#else
#define SIMT_AT_ITS_LINE
#endif

template <int Count, bool Transposed>
SIMT_AT_ITS_LINE Array<unsigned, Count> ldmatrix(unsigned long long address, SIMT_HERE) {
  using Rows = MatrixRows<Count, Transposed>;
  Rows mine{Rows::row_at(address, "ldmatrix: a row does not begin at a multiple of 16 bytes",
                         {file, line}),
            {},
            {}};
#ifdef __SIMT_XRAY__
  if (lane_id() < Count * 8) tell_matrix_row(mine.row);
#endif
  matrix_operation(&mine, &Rows::load, {file, line});
  return mine.words;
}

template <int Count, bool Transposed>
[[gnu::always_inline]] inline void stmatrix(unsigned long long address,
                                            const Array<unsigned, Count>& words, SIMT_HERE) {
  using Rows = MatrixRows<Count, Transposed>;
  Rows mine{Rows::row_at(address, "stmatrix: a row does not begin at a multiple of 16 bytes",
                         {file, line}),
            words,
            {}};
  matrix_operation(&mine, &Rows::store, {file, line});
  // Once more, now that the lanes have met: the instruction orders neither what they did before it
  // nor what they do after it.
  if (lane_id() < Count * 8) __builtin_memcpy(mine.row, mine.made.value, sizeof mine.made.value);
}

// movmatrix: an 8x8 matrix in the lanes' registers, transposed.
struct MatrixTurn {
  unsigned from, to;

  static void turn(void* const* data) {
    const auto at = [&](int lane) { return static_cast<MatrixTurn*>(data[lane]); };
    for (int lane = 0; lane < 32; ++lane) {
      at(lane)->to = 0;
      for (int half = 0; half < 2; ++half) {
        const int row = lane % 4 * 2 + half, column = lane / 4;  // of the source
        const unsigned word = at(row * 4 + column / 2)->from;
        at(lane)->to |= (word >> column % 2 * 16 & 0xFFFFu) << half * 16;
      }
    }
  }
};
inline unsigned movmatrix(unsigned word, SIMT_HERE) {
  MatrixTurn mine{word, 0};
  matrix_operation(&mine, &MatrixTurn::turn, {file, line});
  return mine.to;
}

}  // namespace simt::ptx
