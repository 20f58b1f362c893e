#include "cli/speed_points.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

using nlohmann::ordered_json;

namespace warpath::cli {
namespace {

constexpr double same_time = 0.97;

// One timed case in one type: the times of the ladder, and its own.
struct TimedCase {
  std::vector<double> ladder;
  double own = 0, of_roofline = 0;
};

}  // namespace

int Speed::roofline_points() const {
  return static_cast<int>(std::lround(speed_points * of_roofline));
}
int Speed::rank_points() const {
  return static_cast<int>(std::lround(speed_points * beaten));
}

Speed speed_of(const ordered_json& run, const std::string& own) {
  Speed speed;
  std::map<std::string, TimedCase> cases;
  for (const auto& op : run.value("ops", ordered_json::array()))
    for (const auto& r : op.at("records")) {
      const auto time = r.find("time_us");
      if (r.value("kind", "") != "rung" || time == r.end() || !time->at("median").is_number())
        continue;
      TimedCase& c = cases[r.value("case", "") + " " + r.value("dtype", "")];
      const double us = time->at("median");
      if (r.value("name", "") != own) {
        c.ladder.push_back(us);
        continue;
      }
      c.own = us;
      if (const auto share = r.find("of_roofline"); share != r.end() && share->is_number()) {
        speed.has_roofline = true;
        c.of_roofline = std::min(1.0, share->get<double>());
      }
    }
  for (const auto& [name, c] : cases) {
    ++speed.all_cases;
    speed.rungs = std::max(speed.rungs, static_cast<int>(c.ladder.size()));
    if (c.own <= 0) continue;
    ++speed.cases;
    speed.of_roofline += c.of_roofline;
    const auto faster = std::count_if(c.ladder.begin(), c.ladder.end(),
                                      [&](double us) { return us < same_time * c.own; });
    const int rank = static_cast<int>(faster) + 1;
    speed.best_rank = speed.best_rank ? std::min(speed.best_rank, rank) : rank;
    speed.worst_rank = std::max(speed.worst_rank, rank);
    if (!c.ladder.empty())
      speed.beaten += 1 - static_cast<double>(faster) / static_cast<double>(c.ladder.size());
  }
  if (speed.all_cases > 0) {
    speed.of_roofline /= speed.all_cases;
    speed.beaten /= speed.all_cases;
  }
  return speed;
}

}  // namespace warpath::cli
