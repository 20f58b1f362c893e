#pragma once

// Which element of a matrix operand a lane holds, as PTX describes it for mma.m16n8k16 and its
// relatives. A lane is a row and a pair of columns: group = lane / 4, quad = lane % 4. Matrices
// bigger than one instruction's are made of several, one after the other.

namespace simt {

struct Place {
  int row, column;
};

// The accumulator, M x N: pairs of neighbouring columns, rows 8 apart, tiles of 8 columns.
template <int M, int N>
constexpr Place accumulator_place(int lane, int i) {
  const int group = lane / 4, column = lane % 4 * 2 + i % 2;
  if constexpr (M == 8) return {group, column + i / 2 * 8};
  if constexpr (M == 16) return {group + i / 2 % 2 * 8, column + i / 4 * 8};
  return {group + i / 2 * 8, column};  // M == 32
}

// A, M x 16, of two or one bytes: pairs of neighbouring k, rows 8 apart, then k 8 apart.
template <int M>
constexpr Place a_place(int lane, int i) {
  const int group = lane / 4, k = lane % 4 * 2 + i % 2;
  if constexpr (M == 8) return {group, k + i / 2 % 2 * 8};
  if constexpr (M == 16) return {group + i / 2 % 2 * 8, k + i / 4 % 2 * 8};
  return {group + i / 2 % 2 * 8 + i / 8 * 16, k + i / 4 % 2 * 8};  // M == 32
}

// B, 16 x N: pairs of neighbouring k, k 8 apart, then tiles of 8 columns.
template <int N>
constexpr Place b_place(int lane, int i) {
  return {lane % 4 * 2 + i % 2 + i / 2 % 2 * 8, lane / 4 + i / 4 % (N / 8) * 8};
}

// Operands of four bytes, K = 8: single k, 4 apart.
constexpr Place a_place_tf32(int lane, int i) {
  return {lane / 4 + i % 2 * 8, lane % 4 + i / 2 * 4};
}
constexpr Place b_place_tf32(int lane, int i) {
  return {lane % 4 + i % 2 * 4, lane / 4 + i / 2 * 8};
}

}  // namespace simt
