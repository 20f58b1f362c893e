// A rung without its solution: what a learner starts from.
#pragma once
#include <string>

namespace warpath::cli {

struct Stub {
  std::string text;
  int left_out = 0;  // bodies of functions; 0: the file has no device code of its own
};

// The source of a rung with the bodies of its kernels left out; if it has none (it launches a kernel
// that several rungs share), those of its device functions. Everything else stays as it is.
Stub make_stub(const std::string& source);

}  // namespace warpath::cli
