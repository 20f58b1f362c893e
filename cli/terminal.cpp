#include "cli/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace warpath::cli {
namespace {

bool colour() {
  static const bool on = [] {
    const char* off = std::getenv("NO_COLOR");
    const char* term = std::getenv("TERM");
    return isatty(STDOUT_FILENO) && !(off && *off) && !(term && std::string(term) == "dumb");
  }();
  return on;
}

// Characters on the screen, not bytes: the bytes that continue a UTF-8 character are not counted.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

}  // namespace

std::string paint(Tone tone, const std::string& text) {
  if (!colour() || tone == Tone::plain || text.empty()) return text;
  const char* code = tone == Tone::good     ? "32"
                     : tone == Tone::bad    ? "31"
                     : tone == Tone::dim    ? "2"
                     : tone == Tone::strong ? "1"
                                            : "36";
  return fmt::format("\033[{}m{}\033[0m", code, text);
}

Table::Table(std::vector<std::string> heads, std::string right)
    : heads_(std::move(heads)), right_(std::move(right)) {
  right_.resize(heads_.size(), 'l');
}

void Table::add(std::vector<Cell> row) {
  row.resize(heads_.size(), Cell(""));
  rows_.push_back(std::move(row));
}

void Table::print() const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < heads_.size(); ++c) {
    std::size_t w = width(heads_[c]);
    for (const auto& row : rows_) w = std::max(w, width(row[c].text));
    widths.push_back(w);
  }
  const auto line = [&](auto&& cell) {
    std::string painted;
    for (std::size_t c = 0; c < heads_.size(); ++c) {
      const Cell& it = cell(c);
      const std::string space(widths[c] - width(it.text), ' ');
      const bool right = right_[c] == 'r';
      const bool last = c + 1 == heads_.size();
      painted += (right ? space : "") + paint(it.tone, it.text) + (right || last ? "" : space) +
                 (last ? "" : "  ");
    }
    while (!painted.empty() && painted.back() == ' ') painted.pop_back();
    std::fputs(("  " + painted + "\n").c_str(), stdout);
  };
  std::vector<Cell> heads;
  for (const std::string& h : heads_) heads.emplace_back(h, Tone::dim);
  const bool headless =
      std::all_of(heads_.begin(), heads_.end(), [](const std::string& h) { return h.empty(); });
  if (!headless) line([&](std::size_t c) -> const Cell& { return heads[c]; });
  for (const auto& row : rows_) line([&](std::size_t c) -> const Cell& { return row[c]; });
}

std::string bar(double fraction, int width) {
  static const char* const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const int n = static_cast<int>(std::lround(std::clamp(fraction, 0.0, 1.0) * width * 8));
  std::string text;
  for (int i = 0; i < n / 8; ++i) text += "█";
  return text + eighths[n % 8];
}

void Progress::show(const std::string& text) {
  static const bool terminal = isatty(STDERR_FILENO);
  if (!terminal) return;
  winsize size{};
  const std::size_t columns =
      ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 10 ? size.ws_col - 1u : 79u;
  std::fprintf(stderr, "\r\033[K%s", text.substr(0, columns).c_str());
  std::fflush(stderr);
  shown_ = true;
}

void Progress::clear() {
  if (!shown_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace warpath::cli
