// Points for speed: from made-up times, and through the grader on the fake GPU.
#include "cli/speed_points.h"

#include <gtest/gtest.h>

#include "command.h"

using nlohmann::ordered_json;
using warpath::cli::Speed;
using warpath::cli::speed_of;

namespace {

ordered_json record(const char* name, const char* test, double us, double share,
                    const char* kind = "rung") {
  return {{"name", name},
          {"kind", kind},
          {"case", test},
          {"dtype", "f32"},
          {"time_us", {{"median", us}}},
          {"of_roofline", share}};
}

ordered_json run_of(const std::vector<ordered_json>& records) {
  return {{"ops", {{{"op", "toy"}, {"records", records}}}}};
}

TEST(Speed, OfTheFastestIsEverything) {
  const Speed s =
      speed_of(run_of({record("01", "a", 100, 0.1), record("02", "a", 50, 0.2),
                       record("mine.cu", "a", 10, 1.2), record("cub", "a", 1, 1, "peer")}),
               "mine.cu");
  EXPECT_EQ(s.roofline_points(), 20) << "a share above 1 is 1";
  EXPECT_EQ(s.rank_points(), 20) << "peers are no part of the ladder";
  EXPECT_EQ(s.best_rank, 1);
  EXPECT_EQ(s.rungs, 2);
}

TEST(Speed, CountsFasterRungsAndTiesAsEqual) {
  const Speed s = speed_of(
      run_of({record("01", "a", 99, 0.5), record("02", "a", 50, 0.9), record("03", "a", 200, 0.2),
              record("04", "a", 20, 0.9), record("mine.cu", "a", 100, 0.5)}),
      "mine.cu");
  EXPECT_EQ(s.best_rank, 3) << "99 us is as fast as 100 us";
  EXPECT_EQ(s.rank_points(), 10);
  EXPECT_EQ(s.roofline_points(), 10);
}

TEST(Speed, ACaseThatWasNotTimedCountsAsNothing) {
  const Speed s = speed_of(run_of({record("01", "a", 100, 0.5), record("01", "b", 100, 0.5),
                                   record("mine.cu", "a", 50, 0.8)}),
                           "mine.cu");
  EXPECT_EQ(s.cases, 1);
  EXPECT_EQ(s.all_cases, 2);
  EXPECT_EQ(s.roofline_points(), 8);
  EXPECT_EQ(s.rank_points(), 10);
  EXPECT_EQ(speed_of(run_of({}), "mine.cu").rank_points(), 0);
}

}  // namespace
