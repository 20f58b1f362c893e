// Jumps of the XORWOW generator. One step is linear over GF(2) in the 160 bits of its five shifted
// words, so 2^k steps are a 160 x 160 matrix of bits, and each of those is the square of the one
// before. All that the API can ask for (2^0 .. 2^63 steps, and 2^67 times as many for subsequences)
// are computed when the first jump is made: 131 matrices, 420 KB, a few milliseconds. MRG32k3a's
// steps are linear in its three numbers, modulo a prime: the same with matrices of 3 x 3.

#include <simt/curand_mrg.h>
#include <simt/curand_state.h>

#include <array>
#include <vector>

namespace simt::curand {
namespace {

using Words = std::array<unsigned, 5>;
using Matrix = std::array<Words, 160>;  // row b is what bit b alone becomes

Words product_of(const Matrix& matrix, const Words& from) {
  Words to{};
  for (unsigned word = 0; word < 5; ++word) {
    for (unsigned bits = from[word]; bits != 0; bits &= bits - 1) {
      const Words& row = matrix[word * 32 + static_cast<unsigned>(__builtin_ctz(bits))];
      for (unsigned i = 0; i < 5; ++i) to[i] ^= row[i];
    }
  }
  return to;
}

constexpr int powers = subsequence_power + 64;

std::vector<Matrix> compute() {
  std::vector<Matrix> all(powers);
  for (unsigned bit = 0; bit < 160; ++bit) {
    Words words{};
    words[bit / 32] = 1u << bit % 32;
    xorwow_step(words.data());
    all[0][bit] = words;
  }
  for (int k = 1; k < powers; ++k) {
    for (unsigned bit = 0; bit < 160; ++bit) all[k][bit] = product_of(all[k - 1], all[k - 1][bit]);
  }
  return all;
}

using Cube = std::array<std::array<unsigned long long, 3>, 3>;

Cube multiply(const Cube& a, const Cube& b, unsigned long long m) {
  Cube c{};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 3; ++k) c[i][j] = (c[i][j] + a[i][k] * b[k][j] % m) % m;
    }
  }
  return c;
}

// What 2^k steps do to the last three numbers, the oldest first.
std::vector<Cube> powers_of(const Cube& step, unsigned long long m) {
  std::vector<Cube> all(mrg_sequence_power + 64);
  all[0] = step;
  for (std::size_t k = 1; k < all.size(); ++k) all[k] = multiply(all[k - 1], all[k - 1], m);
  return all;
}

void jump(unsigned* s, const std::vector<Cube>& steps, unsigned long long count, int power,
          unsigned long long m) {
  for (int k = power; count != 0; ++k, count >>= 1) {
    if ((count & 1) == 0) continue;
    unsigned long long to[3] = {};
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) to[i] = (to[i] + steps[k][i][j] * s[j] % m) % m;
    }
    for (int i = 0; i < 3; ++i) s[i] = static_cast<unsigned>(to[i]);
  }
}

}  // namespace

void mrg_jump(unsigned* s1, unsigned* s2, unsigned long long count, int power) {
  if (count == 0) return;
  static const std::vector<Cube> first =
      powers_of({{{0, 1, 0}, {0, 0, 1}, {mrg_m1 - mrg_a13, mrg_a12, 0}}}, mrg_m1);
  static const std::vector<Cube> second =
      powers_of({{{0, 1, 0}, {0, 0, 1}, {mrg_m2 - mrg_a23, 0, mrg_a21}}}, mrg_m2);
  jump(s1, first, count, power, mrg_m1);
  jump(s2, second, count, power, mrg_m2);
}

void xorwow_jump(unsigned* v, unsigned long long count, int power) {
  if (count == 0) return;
  static const std::vector<Matrix> matrices = compute();
  Words words = {v[0], v[1], v[2], v[3], v[4]};
  for (int k = power; count != 0; ++k, count >>= 1) {
    if (count & 1) words = product_of(matrices[k], words);
  }
  for (unsigned i = 0; i < 5; ++i) v[i] = words[i];
}

}  // namespace simt::curand
