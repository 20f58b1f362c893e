// The loss of a run, drawn: in the terminal and as SVG.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace warpath::cli {

struct LossPoint {
  std::int64_t step;
  double loss;
};

// Lines of text, of about that size; empty for fewer than two points.
std::string plot_in_terminal(const std::vector<LossPoint>& losses, int columns, int rows);
// `evaluated` is drawn as dots. Readable on light and dark pages.
std::string plot_as_svg(const std::vector<LossPoint>& losses,
                        const std::vector<LossPoint>& evaluated, const std::string& title);

}  // namespace warpath::cli
