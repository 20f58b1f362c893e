#include "messages/nearest.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace simt::cc {
namespace {

// How many letters have to be changed, added, left out or swapped with their neighbour.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> older, before, row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    older = std::exchange(before, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = a[i - 1] == b[j - 1];
      row[j] = std::min({before[j - 1] + (same ? 0 : 1), before[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], older[j - 2] + 1);
    }
  }
  return row.back();
}

}  // namespace

std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
  std::string best;
  std::size_t least = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& k : known) {
    if (const std::size_t d = distance(word, k); d < least) {
      least = d;
      best = k;
    }
  }
  return best.empty() ? "" : "; did you mean '" + best + "'?";
}

}  // namespace simt::cc
