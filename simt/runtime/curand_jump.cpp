// Jumps of the XORWOW generator. One step is linear over GF(2) in the 160 bits of its five shifted
// words, so 2^k steps are a 160 x 160 matrix of bits, and each of those is the square of the one
// before. All that the API can ask for (2^0 .. 2^63 steps, and 2^67 times as many for subsequences)
// are computed when the first jump is made: 131 matrices, 420 KB, a few milliseconds.

#include <simt/curand_state.h>

#include <array>
#include <vector>

namespace simt::curand {
namespace {

using Words = std::array<unsigned, 5>;
using Matrix = std::array<Words, 160>;  // row b is what bit b alone becomes

Words apply(const Matrix& matrix, const Words& from) {
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
    for (unsigned bit = 0; bit < 160; ++bit) all[k][bit] = apply(all[k - 1], all[k - 1][bit]);
  }
  return all;
}

}  // namespace

void xorwow_jump(unsigned* v, unsigned long long count, int power) {
  if (count == 0) return;
  static const std::vector<Matrix> matrices = compute();
  Words words = {v[0], v[1], v[2], v[3], v[4]};
  for (int k = power; count != 0; ++k, count >>= 1) {
    if (count & 1) words = apply(matrices[k], words);
  }
  for (unsigned i = 0; i < 5; ++i) v[i] = words[i];
}

}  // namespace simt::curand
