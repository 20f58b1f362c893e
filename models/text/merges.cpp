#include "models/text/merges.h"

#include <queue>
#include <tuple>

namespace warpath::models {
namespace {

constexpr std::int32_t none = -1;

// A merge that could be done when it was noted; it no longer can where either symbol has changed since.
struct Candidate {
  std::int32_t rank, at, left, right, made;
  bool operator>(const Candidate& o) const { return std::tie(rank, at) > std::tie(o.rank, o.at); }
};

}  // namespace

void Merges::merge(Tokens& symbols) const {
  const auto n = static_cast<std::int32_t>(symbols.size());
  // The symbols as a list; one that was merged into the one before it is `none`.
  std::vector<std::int32_t> before(symbols.size()), after(symbols.size());
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> candidates;
  const auto at = [&](std::int32_t i) -> std::int32_t& {
    return symbols[static_cast<std::size_t>(i)];
  };
  const auto next = [&](std::int32_t i) -> std::int32_t& {
    return after[static_cast<std::size_t>(i)];
  };
  const auto note = [&](std::int32_t i) {
    if (i == none || next(i) == n) return;
    if (const Merge* m = find(at(i), at(next(i))))
      candidates.push({m->rank, i, at(i), at(next(i)), m->made});
  };
  for (std::int32_t i = 0; i < n; ++i) {
    before[static_cast<std::size_t>(i)] = i - 1;  // -1: none
    next(i) = i + 1;
  }
  for (std::int32_t i = 0; i < n; ++i) note(i);
  while (!candidates.empty()) {
    const Candidate c = candidates.top();
    candidates.pop();
    const std::int32_t right = next(c.at);
    if (at(c.at) != c.left || right == n || at(right) != c.right) continue;
    at(c.at) = c.made;
    at(right) = none;
    next(c.at) = next(right);
    if (next(right) < n) before[static_cast<std::size_t>(next(right))] = c.at;
    note(before[static_cast<std::size_t>(c.at)]);
    note(c.at);
  }
  std::erase(symbols, none);
}

}  // namespace warpath::models
