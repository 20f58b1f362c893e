// The steps of `warpath image`: an op and its options as a person types them, "blur:5:box" or "augment:seed=3:rotation=20".
// The names, types and choices of the options are those of the op's contract.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "cli/image/picture.h"
#include "core/host/contract.h"
#include "models/backend.h"

namespace warpath::cli {

// A width and a height in pixels, or in percent of the picture.
struct Size {
  double width = 100, height = 100;
  bool percent = true;
};

struct Step {
  std::string text, op;
  Contract contract;
  std::vector<std::pair<std::string, double>> options;  // by the contract's names
  Size size;                                            // of resize, and of augment's crop
};

bool is_step(const std::string& word);
std::vector<std::string> step_names();
// Refuses what the op does not have, and names what it has.
Step parse_step(const std::string& text);

// What was launched for a step.
struct Ran {
  std::string op, rung;
  double microseconds;
};

// The picture after the step, by the best rung that takes it.
Picture run_step(models::Backend& backend, const Step& step, const Picture& picture,
                 std::vector<Ran>& ran);

}  // namespace warpath::cli
