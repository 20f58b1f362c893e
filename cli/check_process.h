// `warpath check FILE` in a process of its own, with limits on time, memory and output: what grades and watches ask.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/library.h"

namespace warpath::cli {

struct CheckAnswer {
  nlohmann::ordered_json json;  // of the check; null if it did not get that far
  std::string trouble;          // then: what was said instead
  bool there() const { return !json.is_null(); }
};

// `words` follow `check`: the file and flags. `seconds`: how long it may take.
CheckAnswer run_check(const harness::Places& places, double seconds,
                      const std::vector<std::string>& words);

// A kernel that is being written often never ends: that is said sooner than `check` says it.
struct CaseLimit {
  static constexpr double usual = 10;
  double seconds = usual;  // on one case; three times that under the checks, which are slower

  // `words`, which may hold --sanitize, with the limit of each case.
  std::vector<std::string> on(std::vector<std::string> words) const;
  // What the trouble of such a check says, and where it was the limit, which `flag` changes it.
  static std::string explained(const std::string& trouble, const std::string& flag);
};

// `warpath run FILE` the same way: checked and, on a GPU, timed beside the ladder.
CheckAnswer run_timed(const harness::Places& places, double seconds,
                      const std::vector<std::string>& words);

// Over the rungs of an answer.
struct CheckCounts {
  int passed = 0, failed = 0;
  std::string op;
  std::string first_trouble;  // the first finding of the checks, else the first case that failed
  std::string failed_case, failed_type;  // of that case
  std::string printed_in,
      printed;  // what the kernel printed in that case; where none failed, in the first that printed
};
CheckCounts count_cases(const nlohmann::ordered_json& json);

// Which thread wrote the wrong element that `reason` names ("y[3,7] is 1, expected 2"): runs that case once more under the
// checks, which see every write. Empty where that cannot be told.
std::string find_writer(const harness::Places& places, const std::string& op,
                        const std::string& file, const std::string& test, const std::string& dtype,
                        const std::string& seed, const std::string& reason);

// The line of a compiler's messages that names the first error, else the last line.
std::string first_error(const std::string& messages);

}  // namespace warpath::cli
