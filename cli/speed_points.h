// What a kernel's speed on a GPU is worth: its share of the roofline and its place on the ladder, from the records of
// `warpath run FILE --json`.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace warpath::cli {

inline constexpr int speed_points = 20;  // of each of the two parts

struct Speed {
  int cases = 0;           // timed ones in which it was right
  int all_cases = 0;       // timed ones in which a rung was
  double of_roofline = 0;  // mean over all of them; at most 1 in each
  double beaten = 0;       // share of the ladder that is not faster, mean
  int best_rank = 0, worst_rank = 0;
  int rungs = 0;  // of the ladder, without its own
  bool has_roofline = false;

  int roofline_points() const;
  int rank_points() const;
};

// `own`: the name of its rung in the records. A rung is faster when its time is shorter by more than 3%, less than which
// two runs of one kernel differ. Times within that count as equal.
Speed speed_of(const nlohmann::ordered_json& run, const std::string& own);

}  // namespace warpath::cli
