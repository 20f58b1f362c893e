#include "core/host/nearest.h"

#include <algorithm>
#include <numeric>

namespace warpath {

std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t kept = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({kept, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

std::string nearest(const std::string& word, const std::vector<std::string>& known) {
  std::string best;
  std::size_t least = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& k : known) {
    const std::size_t d = edit_distance(word, k);
    // A name that shares less than half of its letters with the word is not what was meant, unless one begins the other.
    const std::size_t shorter = std::min(word.size(), k.size());
    const bool begins = word.starts_with(k) || k.starts_with(word);
    if (d < least && (begins ? d < shorter : 2 * d <= shorter)) {
      least = d;
      best = k;
    }
  }
  return best;
}

}  // namespace warpath
