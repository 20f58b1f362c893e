#include "cli/models/loss_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace warpath::cli {
namespace {

struct LossRange {
  double low = INFINITY, high = -INFINITY;
  void take(const std::vector<LossPoint>& points) {
    for (const LossPoint& p : points) {
      if (!std::isfinite(p.loss)) continue;
      low = std::min(low, p.loss), high = std::max(high, p.loss);
    }
  }
  bool empty() const { return !(low <= high); }
  double share(double loss) const { return high > low ? (loss - low) / (high - low) : 0.5; }
};

std::string escaped_text(const std::string& text) {
  std::string out;
  for (const char c : text)
    out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  return out;
}

}  // namespace

// A column is the mean of its steps; two dots of braille's four rows per line would be finer, but not every terminal has them.
std::string plot_in_terminal(const std::vector<LossPoint>& losses, int columns, int rows) {
  LossRange range;
  range.take(losses);
  if (losses.size() < 2 || range.empty()) return {};
  const int wide = std::min<int>(columns, static_cast<int>(losses.size()));
  std::vector<double> mean(static_cast<std::size_t>(wide), NAN);
  for (int c = 0; c < wide; ++c) {
    const std::size_t begin =
        losses.size() * static_cast<std::size_t>(c) / static_cast<std::size_t>(wide);
    const std::size_t end =
        losses.size() * static_cast<std::size_t>(c + 1) / static_cast<std::size_t>(wide);
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += losses[i].loss;
    mean[static_cast<std::size_t>(c)] = sum / static_cast<double>(end - begin);
  }
  std::string text;
  for (int r = rows - 1; r >= 0; --r) {
    const double edge = r == rows - 1 ? range.high : r == 0 ? range.low : NAN;
    text += std::isnan(edge) ? "         │" : fmt::format("  {:6.3f} ┤", edge);
    for (const double m : mean) {
      const double at = std::isfinite(m) ? range.share(m) * rows : -1;
      text += at < 0          ? " "
              : at >= r + 1   ? (r + 1 == rows ? "▄" : " ")
              : at >= r + 0.5 ? "▀"
              : at >= r       ? "▄"
                              : " ";
    }
    text += "\n";
  }
  return text + fmt::format("         └ step {} to {}\n", losses.front().step, losses.back().step);
}

std::string plot_as_svg(const std::vector<LossPoint>& losses,
                        const std::vector<LossPoint>& evaluated, const std::string& title) {
  constexpr double width = 720, height = 320, left = 56, right = 16, top = 36, bottom = 36;
  LossRange range;
  range.take(losses);
  range.take(evaluated);
  std::string svg = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} {}" font-family="sans-serif" font-size="12">
<style>text {{ fill: #444 }} .axis {{ stroke: #888; fill: none }} .loss {{ stroke: #2a78d6; fill: none; stroke-width: 1.5 }} .evaluated {{ fill: #d6652a }}
@media (prefers-color-scheme: dark) {{ text {{ fill: #ccc }} }}</style>
<text x="{}" y="20" font-size="14">{}</text>
)",
      width, height, left, escaped_text(title));
  if (losses.empty() || range.empty()) return svg + "</svg>\n";
  const double first = static_cast<double>(losses.front().step),
               last = std::max(first + 1, static_cast<double>(losses.back().step));
  const auto x = [&](std::int64_t step) {
    return left + (width - left - right) * (static_cast<double>(step) - first) / (last - first);
  };
  const auto y = [&](double loss) {
    return top + (height - top - bottom) * (1 - range.share(loss));
  };
  svg += fmt::format(R"(<path class="axis" d="M{0} {1}V{2}H{3}"/>)"
                     "\n",
                     left, top, height - bottom, width - right);
  for (const double share : {0.0, 0.5, 1.0}) {
    const double loss = range.low + share * (range.high - range.low);
    svg += fmt::format(R"(<text x="{}" y="{:.1f}" text-anchor="end">{:.3f}</text>)"
                       "\n",
                       left - 6, y(loss) + 4, loss);
  }
  svg += fmt::format(R"(<text x="{}" y="{}">step {:.0f}</text>)"
                     "\n"
                     R"(<text x="{}" y="{}" text-anchor="end">{:.0f}</text>)"
                     "\n<path class=\"loss\" d=\"",
                     left, height - 14, first, width - right, height - 14, last);
  bool pen = false;
  for (const LossPoint& p : losses) {
    if (!std::isfinite(p.loss)) {
      pen = false;
      continue;
    }
    svg += fmt::format("{}{:.1f} {:.1f}", pen ? 'L' : 'M', x(p.step), y(p.loss));
    pen = true;
  }
  svg += "\"/>\n";
  for (const LossPoint& p : evaluated)
    if (std::isfinite(p.loss))
      svg += fmt::format(R"(<circle class="evaluated" cx="{:.1f}" cy="{:.1f}" r="3"/>)"
                         "\n",
                         x(p.step), y(p.loss));
  return svg + "</svg>\n";
}

}  // namespace warpath::cli
