#include "libraries/sobol.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace simt {
namespace {

constexpr std::string_view numbers =
#include "libraries/sobol_numbers.inc"
    ;

// Polynomials over GF(2), a bit for each coefficient.
class Field {
 public:
  explicit Field(unsigned polynomial) : polynomial_(polynomial), top_(polynomial) {
    while ((top_ & (top_ - 1)) != 0) top_ &= top_ - 1;
  }
  unsigned times(unsigned a, unsigned b) const {
    unsigned product = 0;
    for (; b != 0; b >>= 1) {
      if ((b & 1) != 0) product ^= a;
      a <<= 1;
      if ((a & top_) != 0) a ^= polynomial_;
    }
    return product;
  }
  // x to the power of n.
  unsigned power(unsigned n) const {
    unsigned result = 1, base = 2;
    for (; n != 0; n >>= 1) {
      if ((n & 1) != 0) result = times(result, base);
      base = times(base, base);
    }
    return result;
  }

 private:
  unsigned polynomial_, top_;
};

std::vector<unsigned> prime_factors(unsigned n) {
  std::vector<unsigned> factors;
  for (unsigned p = 2; p * p <= n; ++p) {
    if (n % p == 0) factors.push_back(p);
    while (n % p == 0) n /= p;
  }
  if (n > 1) factors.push_back(n);
  return factors;
}

struct Dimension {
  unsigned degree, polynomial;
  std::vector<unsigned> first;  // as many as the degree
};

// The first dimension has no polynomial; the others have the primitive ones in their order. A
// polynomial is primitive if the order of x is the largest there is.
std::vector<Dimension> make_dimensions() {
  std::vector<Dimension> all = {{0, 1, {}}, {1, 3, {}}};
  for (unsigned degree = 2; all.size() < sobol_dimensions; ++degree) {
    const unsigned order = (1u << degree) - 1;
    const std::vector<unsigned> factors = prime_factors(order);
    for (unsigned p = 1u << degree | 1; p < 2u << degree && all.size() < sobol_dimensions; p += 2) {
      const Field field(p);
      bool primitive = field.power(order) == 1;
      for (const unsigned f : factors) primitive = primitive && field.power(order / f) != 1;
      if (primitive) all.push_back({degree, p, {}});
    }
  }
  std::size_t bit = 0;
  const auto next_bit = [&]() -> unsigned {
    constexpr std::string_view letters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const auto six = letters.find(numbers[bit / 6]);
    return static_cast<unsigned>(six >> bit++ % 6 & 1);
  };
  for (Dimension& d : all) {
    for (unsigned i = 0; i < d.degree; ++i) {
      unsigned number = 1;
      for (unsigned k = 1; k <= i; ++k) number |= next_bit() << k;
      d.first.push_back(number);
    }
  }
  return all;
}

const std::vector<Dimension>& dimensions() {
  static const auto* const all = new std::vector<Dimension>(make_dimensions());
  return *all;
}

template <class Word>
constexpr unsigned bits = sizeof(Word) * 8;

template <class Word>
void make_vectors(const Dimension& d, Word* v) {
  for (unsigned k = 0; k < bits<Word>; ++k) {
    if (d.degree == 0 || k < d.degree) {
      v[k] = static_cast<Word>(d.degree == 0 ? 1 : d.first[k]) << (bits<Word> - 1 - k);
      continue;
    }
    v[k] = v[k - d.degree] ^ v[k - d.degree] >> d.degree;
    for (unsigned j = 1; j < d.degree; ++j) {
      if ((d.polynomial >> (d.degree - j) & 1) != 0) v[k] ^= v[k - j];
    }
  }
}

// Random bits that are always the same. (G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom
// number generators", 2014.)
std::uint64_t random_bits(std::uint64_t which) {
  std::uint64_t z = which * 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

// Row r of the matrix, from the top bit down, takes bit r and some of those above it. The first 32
// bits are those of the 32-bit set.
template <class Word>
void scramble(unsigned dimension, Word* v) {
  Word rows[bits<Word>];
  for (unsigned r = 0; r < bits<Word>; ++r) {
    const Word own = Word{1} << (bits<Word> - 1 - r);
    const Word above = r == 0 ? 0 : static_cast<Word>(~Word{0}) << (bits<Word> - r);
    const auto random = random_bits((std::uint64_t{dimension} + 1) * 64 + r);
    rows[r] = own | (static_cast<Word>(random >> (64 - bits<Word>)) & above);
  }
  for (unsigned k = 0; k < bits<Word>; ++k) {
    Word mixed = 0;
    for (unsigned r = 0; r < bits<Word>; ++r) {
      const bool odd = __builtin_parityll(rows[r] & v[k]) != 0;
      if (odd) mixed |= Word{1} << (bits<Word> - 1 - r);
    }
    v[k] = mixed;
  }
}

template <class Word>
struct Vectors {
  Word of[sobol_dimensions][bits<Word>];

  explicit Vectors(bool scrambled) {
    for (unsigned d = 0; d < sobol_dimensions; ++d) {
      make_vectors(dimensions()[d], of[d]);
      if (scrambled) scramble(d, of[d]);
    }
  }
};

}  // namespace

template <class Word>
const Word (*sobol_vectors(bool scrambled))[sizeof(Word) * 8] {
  if (scrambled) {
    static const auto* const all = new Vectors<Word>(true);
    return all->of;
  }
  static const auto* const all = new Vectors<Word>(false);
  return all->of;
}

template <class Word>
const Word* sobol_constants() {
  static const auto* const all = [] {
    auto* const made = new Word[sobol_dimensions];
    for (std::uint64_t d = 0; d < sobol_dimensions; ++d) {
      made[d] = static_cast<Word>(random_bits(~d) >> (64 - bits<Word>));
    }
    return made;
  }();
  return all;
}

using Long = unsigned long long;
template const unsigned (*sobol_vectors<unsigned>(bool))[32];
template const Long (*sobol_vectors<Long>(bool))[64];
template const unsigned* sobol_constants<unsigned>();
template const Long* sobol_constants<Long>();

}  // namespace simt
