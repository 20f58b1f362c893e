#include "harness/turns.h"

#include <fmt/format.h>

#include <algorithm>

namespace warpath::harness {
namespace {

// The shares of all rounds add up to n; the first rounds get the remainder.
int share(int n, int round) {
  return (n + timing_rounds - 1 - round) / timing_rounds;
}

}  // namespace

std::string turns_method() {
  return fmt::format(
      "the rungs and the vendor's kernels take turns in {} rounds, every second one the other way, "
      "each after {:.0f} ms of rest; median, p20 and p80 of all samples",
      timing_rounds, rest_before_turn * 1e3);
}

std::vector<std::size_t> order_of_round(std::vector<std::size_t> field, int round) {
  if (round % 2 == 1) std::reverse(field.begin(), field.end());
  return field;
}

TimerOptions options_of_round(double seconds, int round) {
  TimerOptions o;
  o.seconds = seconds / timing_rounds;
  o.min_samples = share(o.min_samples, round);
  o.max_samples = share(o.max_samples, round);
  return o;
}

std::vector<std::vector<std::size_t>> groups_that_fit(const std::vector<std::int64_t>& bytes,
                                                      std::int64_t room) {
  std::vector<std::vector<std::size_t>> groups;
  std::int64_t left = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    if (groups.empty() || bytes[i] > left) {
      groups.emplace_back();
      left = room;
    }
    groups.back().push_back(i);
    left -= bytes[i];
  }
  for (std::vector<std::size_t>& g : groups) std::reverse(g.begin(), g.end());
  std::reverse(groups.begin(), groups.end());
  return groups;
}

std::int64_t room_in(std::int64_t free_bytes) {
  return free_bytes - free_bytes / 8;
}

}  // namespace warpath::harness
