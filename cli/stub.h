// A rung or a twin without its solution: what a learner starts from.
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

// A Triton twin with the bodies of the kernels left out that the op launches. What they call stays, and so does every
// function that launches one.
Stub triton_stub(const std::string& source, const std::string& op);

// A WGSL twin with the body of the op's entry point left out.
Stub wgsl_stub(const std::string& source, const std::string& op);

}  // namespace warpath::cli
