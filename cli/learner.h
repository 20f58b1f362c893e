// A learner's own kernel: one .cu file, compiled into one more library and checked beside the
// shipped rungs.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/select.h"
#include "harness/process.h"

namespace warpath::cli {

bool is_kernel_file(const std::string& word);  // "mine.cu", not an op

class LearnerKernels {
 public:
  // Compiles each file for the backend, on a CPU with checks if asked for. If one does not compile,
  // refuses with the compiler's message.
  LearnerKernels(const harness::Places& places, const Backend& backend, bool checked,
                 const std::vector<std::string>& files);

  // The ops the files registered rungs for, sorted.
  std::vector<std::string> ops() const;
  // Puts each rung into the ladder of its op, after the others.
  void join(std::vector<OpEntry>& ops) const;

 private:
  harness::TemporaryFolder folder_;
  std::vector<harness::Contestant> contestants_;
};

}  // namespace warpath::cli
