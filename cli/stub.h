// A rung without its solution: what a learner starts from.
#pragma once
#include <string>
#include <string_view>

namespace warpath::cli {

struct Stub {
  std::string text;
  int left_out = 0;  // bodies of functions; 0: the file has no device code of its own
};

// The text with comments, strings and character literals as spaces: what is left is code, at the same offsets.
std::string only_code(const std::string& text);

// Where `word` stands in `code` by itself, from an offset on; npos: nowhere.
std::size_t find_word(const std::string& code, std::string_view word, std::size_t from);

// The source of a rung with the bodies of its kernels left out; if it has none (it launches a kernel
// that several rungs share), those of its device functions. Everything else stays as it is.
Stub make_stub(const std::string& source);

}  // namespace warpath::cli
