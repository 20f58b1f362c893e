#include "mutate.h"

#include <algorithm>
#include <array>

namespace {

constexpr std::size_t longest = 16 * 1024;

// What means something to the translator, whole or cut off.
constexpr std::array<const char*, 56> tokens = {"<<<",
                                                ">>>",
                                                "<<<1, 2>>>(",
                                                "__shared__ ",
                                                "extern ",
                                                "__global__ ",
                                                "__device__ ",
                                                "__host__ ",
                                                "__noinline__ ",
                                                "asm volatile(",
                                                "asm(",
                                                "template <",
                                                "template <> ",
                                                "namespace ",
                                                "struct ",
                                                "operator",
                                                "[&]",
                                                "[=]",
                                                "[[",
                                                "]]",
                                                "alignas(",
                                                "decltype(",
                                                "__attribute__((",
                                                "void k(",
                                                "(void*)",
                                                "reinterpret_cast<void*>(",
                                                "printf(",
                                                "return ",
                                                "::",
                                                "->",
                                                "{",
                                                "}",
                                                "(",
                                                ")",
                                                "[",
                                                "]",
                                                "<",
                                                ">",
                                                ";",
                                                ",",
                                                ":",
                                                "=",
                                                "\"",
                                                "'",
                                                "R\"x(",
                                                ")x\"",
                                                "/*",
                                                "*/",
                                                "//",
                                                "\\\n",
                                                "\n# 7 \"f.cu\"\n",
                                                "\n#line 3\n",
                                                "0x1p-3'",
                                                "__cluster_dims__(",
                                                "__launch_bounds__(",
                                                "auto "};

std::size_t below(Random& random, std::size_t limit) {
  return limit == 0 ? 0 : random() % limit;
}

void change_once(std::string& text, const std::vector<std::string>& others, Random& random) {
  const std::size_t at = below(random, text.size() + 1);
  const std::size_t length = std::min(below(random, 1u << below(random, 9)), text.size() - at);
  switch (random() % 8) {
    case 0:
      if (at < text.size()) text[at] = static_cast<char>(random());
      return;
    case 1:
      text.erase(at, length);
      return;
    case 2:
      text.insert(at, text.substr(at, length));
      return;
    case 3: {
      const std::string& other = others[below(random, others.size())];
      const std::size_t from = below(random, other.size() + 1);
      text.insert(at, other.substr(from, below(random, 400)));
      return;
    }
    case 4:
      text.resize(at);
      return;
    case 5: {
      // Deep nesting, long runs.
      const std::string token = tokens[below(random, tokens.size())];
      for (std::size_t i = below(random, 60); i > 0; --i) text.insert(at, token);
      return;
    }
    default:
      text.insert(at, tokens[below(random, tokens.size())]);
  }
}

}  // namespace

std::string mutate(std::string text, const std::vector<std::string>& others, Random& random) {
  for (std::size_t changes = 1 + below(random, 6); changes > 0; --changes) {
    change_once(text, others, random);
  }
  if (text.size() > longest) text.resize(longest);
  return text;
}
