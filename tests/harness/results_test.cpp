#include "harness/results.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "core/host/error.h"

using namespace warpath;
using namespace warpath::harness;
namespace fs = std::filesystem;

namespace {

class Results : public testing::Test {
 protected:
  Results() : folder(fs::temp_directory_path() / ("warpath-results-" + std::to_string(getpid()))) {
    fs::create_directories(folder);
  }
  ~Results() override { fs::remove_all(folder); }

  std::string complaint(const std::string& text) {
    const fs::path file = folder / "broken.json";
    std::ofstream(file) << text;
    try {
      read_results(file);
      return "";
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find("broken.json"), std::string::npos);
      return e.what();
    }
  }

  fs::path folder;
};

Record timed(const std::string& name, bool peer, double us) {
  Record r;
  r.op = "toy";
  r.name = name;
  r.test = "big";
  r.peer = peer;
  r.bench = true;
  r.dims = {{"rows", 4}};
  r.status = Status::passed;
  r.cost = {1e6, 2e9};
  r.timing = Timing{us, us * 0.9, us * 1.1, 50};
  return r;
}

Roofline roofline() {
  Roofline r;
  r.copy = MeasuredRate{4e12, "copy"};
  r.matmul = MeasuredRate{8e14, "matmul"};
  return r;
}

ResultHead head() {
  return {"NVIDIA H200", "580.1", "13.0", "2025-01-01T00:00:00Z", "abc", "a clock", 90, roofline()};
}

TEST_F(Results, RatesFollowFromTimes) {
  const auto rated = rate(
      {timed("01", false, 1000), timed("cub", true, 800), timed("slow", true, 1600)}, roofline());
  EXPECT_DOUBLE_EQ(*rated[0].tbs, 2);
  EXPECT_DOUBLE_EQ(*rated[0].of_copy, 0.5);
  EXPECT_DOUBLE_EQ(*rated[0].of_roofline, 0.5);
  EXPECT_DOUBLE_EQ(*rated[0].vs_best_peer, 0.8);
  EXPECT_EQ(rated[0].best_peer, "cub");
}

TEST_F(Results, TheRooflineIsTheHigherOfTwoFloors) {
  EXPECT_DOUBLE_EQ(roofline().floor_seconds(4e12, 0), 1);
  EXPECT_DOUBLE_EQ(roofline().floor_seconds(4e12, 16e14), 2);
  EXPECT_DOUBLE_EQ(Roofline{}.floor_seconds(1, 1), 0);
}

TEST_F(Results, WhatIsWrittenIsRead) {
  const fs::path file = folder / "results" / "h200.json";
  auto records = rate({timed("01", false, 1000), timed("02", false, 500)}, roofline());
  write_results(file, head(), records);
  const auto j = read_results(file);
  EXPECT_EQ(j["device"], "NVIDIA H200");
  EXPECT_EQ(j["copy_tbs"], 4.0);
  EXPECT_EQ(j["records"].size(), 2u);
  const auto& r = j["records"][0];
  EXPECT_EQ(r["name"], "01");
  EXPECT_EQ(r["kind"], "rung");
  EXPECT_EQ(r["time_us"]["median"], 1000.0);
  EXPECT_EQ(r["tbs"], 2.0);
  EXPECT_TRUE(r["vs_best_peer"].is_null());
  int lines = 0;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);)
    lines += line.find("\"name\"") != std::string::npos;
  EXPECT_EQ(lines, 2) << "one record a line";
  for (const auto& e : fs::directory_iterator(file.parent_path()))
    EXPECT_EQ(e.path(), file) << "no file left over";
}

TEST_F(Results, APartOfAFileIsRatedByTheBetterRates) {
  const fs::path file = folder / "h200.json";
  const auto records = [](double us) { return rate({timed("01", false, us)}, roofline()); };
  write_results(file, head(), records(1000));
  ResultHead hot = head();
  hot.roofline.copy->per_second = 2e12;
  Record other = timed("02", false, 500);
  update_results(file, hot, rate({other}, hot.roofline));
  auto j = read_results(file);
  EXPECT_EQ(j["copy_tbs"], 4.0);
  EXPECT_EQ(j["records"][0]["of_roofline"], 0.5);
  EXPECT_EQ(j["records"][1]["of_roofline"], 1.0) << "not 2, as by the rate of its own run";
  hot.roofline.copy->per_second = 8e12;
  update_results(file, hot, rate({other}, hot.roofline));
  j = read_results(file);
  EXPECT_EQ(j["copy_tbs"], 8.0);
  EXPECT_EQ(j["records"][0]["of_roofline"], 0.25);
  EXPECT_EQ(j["records"][0]["of_copy"], 0.25);
}

TEST_F(Results, AFailureHasNoTime) {
  Record r = timed("01", false, 1000);
  r.status = Status::failed;
  r.timing.reset();
  r.reason = "wrong";
  const auto j = to_json(rate({r}, roofline())[0]);
  EXPECT_FALSE(j.contains("time_us"));
  EXPECT_EQ(j["passed"], false);
  EXPECT_EQ(j["reason"], "wrong");
}

TEST_F(Results, BrokenFilesAreNamed) {
  EXPECT_NE(complaint("{ \"device\": ").find("not valid JSON at byte"), std::string::npos);
  EXPECT_NE(complaint("[]").find("no object at the top"), std::string::npos);
  EXPECT_NE(complaint("{\"name\": \"package\"}").find("no text field 'device'"), std::string::npos);
  const std::string start = R"({"device":"d","date":"t","commit":"c","method":"m")";
  EXPECT_NE(complaint(start + "}").find("no list 'records'"), std::string::npos);
  EXPECT_NE(complaint(start + R"(,"records":[{"op":"x"}]})").find("record 0 lacks"),
            std::string::npos);
  EXPECT_NE(
      complaint(start + R"(,"records":[{"op":"x","name":"n","case":"c","dtype":"f32","passed":false,
                                 "time_us":{"median":1}}]})")
          .find("has a time but no pass"),
      std::string::npos);
  EXPECT_EQ(complaint(start + R"(,"records":[]})"), "");
}

TEST_F(Results, DevicesHaveShortNames) {
  EXPECT_EQ(device_slug("NVIDIA H200"), "h200");
  EXPECT_EQ(device_slug("NVIDIA A100-SXM4-80GB"), "a100");
  EXPECT_EQ(device_slug("NVIDIA GeForce RTX 4090"), "rtx_4090");
  EXPECT_EQ(device_slug("Tesla V100-SXM2-16GB"), "v100");
  EXPECT_EQ(device_slug(""), "device");
}

}  // namespace
