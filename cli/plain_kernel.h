// A learner's kernel that is just a kernel: no launcher, no registration. It is matched with the
// contract of an op (kernel_match.h), and a launcher is written for it.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "cli/kernel_match.h"
#include "harness/library.h"

namespace warpath::cli {

// What the command line says about plain kernels.
struct PlainOptions {
  std::vector<std::string> ops;  // words of the command line; empty: the file has to name its op
  std::string kernel;            // --kernel: which of several
  LaunchShape launch;
};

struct PlainKernel {
  std::string text;   // the file with a launcher behind it, to be compiled in its place
  std::string match;  // for people: "reduce(x, y, n = cols), blocks of 256 threads, …"
  std::string op;
  std::vector<std::string> entries;  // of the comment above it, or of one that would say the same
  std::vector<std::string> only_assigned;  // outputs that the file writes and never reads: y[i] = …
  std::string launch;                      // "<<<enough for every element, 256>>>"
  bool launch_chosen = false;              // not the default
  std::vector<std::string> absent_outputs;  // optional results that it does not have
};

// Refuses in one line when the file has no kernel, more than one to choose from, or one that fits no
// op.
PlainKernel make_plain_kernel(const harness::Places& places, const std::filesystem::path& file,
                              const PlainOptions& options);

}  // namespace warpath::cli
