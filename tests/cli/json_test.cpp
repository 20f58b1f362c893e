// --json gives valid JSON and nothing else, on every command.
#include <gtest/gtest.h>

#include "command.h"

using nlohmann::json;
using warpath::testing::Lab;
using warpath::testing::Said;

namespace {

TEST(Json, CheckTellsEverythingTheTableDoes) {
  const Lab lab;
  const Said s = lab.run({"check", "toy", "--json", "--seed", "7"});
  ASSERT_EQ(s.status, 0) << s.err;
  EXPECT_EQ(s.err, "");
  const json j = s.json();
  EXPECT_EQ(j["backend"], "simt");
  EXPECT_EQ(j["seed"], 7);
  EXPECT_EQ(j["passed"], true);
  ASSERT_EQ(j["ops"].size(), 2u);
  EXPECT_EQ(j["ops"][0]["op"], "toy");
  EXPECT_EQ(j["ops"][0]["rungs"][0]["name"], "01_good");
  EXPECT_EQ(j["ops"][0]["rungs"][0]["failed"], 0);
  for (const json& r : j["ops"][0]["records"])
    EXPECT_FALSE(r.contains("time_us")) << "no times on a CPU";
}

TEST(Json, FailuresCarryTheirReason) {
  const Lab lab;
  const Said s = lab.run({"run", "unruly", "--rung", "crash", "--json"});
  EXPECT_EQ(s.status, 1);
  const json j = s.json();
  EXPECT_EQ(j["passed"], false);
  EXPECT_EQ(j["ops"][0]["records"][0]["reason"], "crashed: segmentation fault");
  EXPECT_EQ(j["ops"][0]["records"][0]["output"], "about to crash\n");
}

TEST(Json, EveryCommandHasIt) {
  const Lab lab;
  EXPECT_TRUE(lab.run({"ops", "--json"}).json()["ops"].is_array());
  const json toy = lab.run({"ops", "toy", "--json"}).json()["ops"][0];
  EXPECT_EQ(toy["args"][0]["name"], "x");
  EXPECT_EQ(toy["cases"][0]["name"], "one");
  EXPECT_EQ(lab.run({"doctor", "--json"}).json()["backends"]["simt"]["works"], true);
  EXPECT_EQ(lab.run({"check", "toy", "--wrong", "--json"}).json()["rejected"], 1);
  EXPECT_TRUE(lab.run({"--json"}).json()["try"].is_array());
}

TEST(Json, SeedsDrawOtherInputsAndAreRepeatable) {
  const Lab lab;
  const auto error = [&](const char* seed) {
    return lab
        .run({"check", "toy", "--rung", "01", "--case", "tripled", "--dtype", "f32", "--json",
              "--seed", seed})
        .json()["ops"][0]["records"][0]["max_error"]
        .get<double>();
  };
  EXPECT_EQ(error("1"), error("1"));
  EXPECT_NE(error("1"), error("2"));
}

}  // namespace
