// A learner's own kernel: one .cu file, compiled into one more library and checked beside the
// shipped rungs.
#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/plain_kernel.h"
#include "cli/select.h"
#include "harness/process.h"

namespace warpath::cli {

bool is_kernel_file(const std::string& word);  // "mine.cu" or a library made of it, not an op

enum class Build { plain, checked, debug, xray };

// Compiles a file into `library` for the backend. A file that registers no rung is taken as a plain
// kernel: then the result says how it was matched with its op (else it is empty). If the file does not compile, refuses
// with the compiler's message. `one_float`: "f32" builds the kernels for that one of f32, f16 and bf16, which is quicker.
PlainKernel build_kernel(const harness::Places& places, const Backend& backend, Build build,
                         const std::filesystem::path& file, const PlainOptions& plain,
                         const std::filesystem::path& library, const std::string& one_float = "");

class LearnerKernels {
 public:
  // Compiles each file for the backend, on a CPU with checks if asked for.
  LearnerKernels(const harness::Places& places, const Backend& backend, bool checked,
                 const std::vector<std::string>& files, const PlainOptions& plain = {});

  // The ops the files registered rungs for, sorted.
  std::vector<std::string> ops() const;
  // How each plain kernel was matched with its op: "mine.cu: add(a, b, c, n) as vector_add, …"
  const std::vector<std::string>& matches() const { return matches_; }
  // The plain kernel of a file, by the name of its rung ("mine.cu"); null: it has a launcher of its own.
  const PlainKernel* plain(const std::string& name) const;
  // Puts each rung into the ladder of its op, after the others.
  void join(std::vector<OpEntry>& ops) const;

 private:
  harness::TemporaryFolder folder_;
  std::vector<harness::Contestant> contestants_;
  std::vector<std::string> matches_;
  std::map<std::string, PlainKernel> plain_;
};

// As it is typed: a name with a space in quotes.
std::string shell_word(const std::string& word);

// The options of a plain kernel's launch, as they were given: " --grid rows --block 128".
std::string launch_words(const Options& o);

}  // namespace warpath::cli
