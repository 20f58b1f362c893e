// bench and its result files, on a device that claims to be a GPU.
#include <gtest/gtest.h>

#include "command.h"

using nlohmann::json;
using warpath::testing::Lab;
using warpath::testing::Said;

namespace {

constexpr const char* file = "ops/toys/toy/results/fake100.json";

TEST(Bench, SavesWhatItMeasured) {
  const Lab lab("gpu");
  const Said s = lab.run({"bench", "toy", "--save"});
  ASSERT_EQ(s.status, 0) << s.err << s.out;
  EXPECT_NE(s.out.find("vendor (peer)"), std::string::npos);
  EXPECT_NE(s.out.find("wrote "), std::string::npos);
  const json j = json::parse(lab.read(file));
  EXPECT_EQ(j["device"], "NVIDIA FAKE100-PCIE");
  EXPECT_EQ(j["commit"], "a-commit");
  EXPECT_EQ(j["copy_tbs"], 1.0);
  EXPECT_NE(j["method"].get<std::string>().find("take turns in 4 rounds"), std::string::npos);
  EXPECT_TRUE(j["matmul_tflops"].is_null());
  int rungs = 0, peers = 0, gathers = 0;
  for (const json& r : j["records"]) {
    rungs += r["kind"] == "rung";
    peers += r["kind"] == "peer";
    gathers += r["op"] == "toy_gather";
    if (r["status"] != "passed") continue;
    EXPECT_GT(r["time_us"]["median"], 0);
    EXPECT_GT(r["of_roofline"], 0);
    EXPECT_EQ(r["vs_best_peer"].is_null(), r["op"] == "toy_gather") << "only toy has a peer";
    // toy's second rung wants as much as x has.
    EXPECT_EQ(r.value("scratch_bytes", 0.0),
              r["name"] == "02_scratch" ? r["bytes"].get<double>() / 2 : 0.0);
  }
  EXPECT_GT(rungs, 4);
  EXPECT_EQ(peers, 2);  // one per dtype
  EXPECT_GT(gathers, 0) << "the file of a folder holds all its ops";
  EXPECT_NE(lab.run({"ops", "toy"}).out.find("NVIDIA FAKE100-PCIE"), std::string::npos);
}

// The frameworks' times come from a child, `PYTHON -m warpath bench --output FILE op…`.
TEST(Bench, FrameworksArePeers) {
  const Lab lab("gpu");
  const auto as_python = [&](const std::string& script) {
    lab.write("python", "#!/bin/sh\n" + script);
    std::filesystem::permissions(lab.home() / "python", std::filesystem::perms::owner_all);
    return lab.run({"bench", "toy", "--json", "--python", (lab.home() / "python").string()});
  };
  const json plain = lab.run({"bench", "toy", "--json"}).json();
  std::string test;
  for (const json& op : plain["ops"])
    if (op["op"] == "toy")
      for (const json& r : op["records"]) test = r["case"];
  const std::string record = R"({"op": "toy", "case": ")" + test + R"(", "dtype": "f32", )";
  const Said s = as_python(
      "[ \"$1 $2 $3 $4\" = \"-m warpath bench --output\" ] || exit 3\n"
      "cat > \"$5\" <<'END'\n[" +
      record +
      R"("name": "Fast", "passed": true, "reason": "", "error": 0, "bytes": 8, "flops": 1,
          "median_us": 2, "p20_us": 2, "p80_us": 2},)" +
      record + R"("name": "Wrong", "passed": false, "reason": "y[0] is 1", "median_us": null},)" +
      record +
      R"("name": "Absent", "passed": null, "reason": "not installed", "median_us": null}])"
      "\nEND\n");
  ASSERT_EQ(s.status, 0) << s.err << s.out;
  int seen = 0;
  json records = json::array();
  const json told = s.json();
  for (const json& op : told["ops"])
    for (const json& r : op["records"]) records.push_back(r);
  for (const json& r : records) {
    if (r["name"] == "Fast") {
      ++seen;
      EXPECT_EQ(r["kind"], "peer");
      EXPECT_EQ(r["time_us"]["median"], 2.0);
      EXPECT_TRUE(r["allowed"].is_null()) << "it is not told";
    } else if (r["name"] == "Wrong" || r["name"] == "Absent") {
      ++seen;
      EXPECT_FALSE(r.contains("time_us")) << "no time without a pass";
    }
  }
  EXPECT_EQ(seen, 3);

  const Said refused = as_python("echo 'warpath: times need a GPU' >&2\nexit 2\n");
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("cannot time the frameworks: warpath: times need a GPU"),
            std::string::npos)
      << refused.err;
}

TEST(Bench, ChecksWithoutPassesHaveNoTimes) {
  const Lab lab("gpu");
  const Said s = lab.run({"bench", "unruly", "--rung", "zero", "--json"});
  EXPECT_EQ(s.status, 1);
  for (const json& r : s.json()["ops"][0]["records"]) EXPECT_FALSE(r.contains("time_us"));
}

TEST(Bench, ABrokenResultFileIsNamed) {
  const Lab lab("gpu");
  lab.write(file, "{ \"device\": \"x\", ");
  for (const auto& words : {std::vector<std::string>{"ops", "toy"}, {"bench", "toy", "--save"}}) {
    const Said s = lab.run(words);
    EXPECT_EQ(s.status, 2);
    EXPECT_NE(s.err.find("fake100.json: not valid JSON"), std::string::npos) << s.err;
  }
  lab.write(file, R"({"name": "some package"})");
  const Said foreign = lab.run({"bench", "toy", "--save"});
  EXPECT_EQ(foreign.status, 2);
  EXPECT_NE(foreign.err.find("not a result file"), std::string::npos) << foreign.err;
  EXPECT_EQ(lab.read(file), R"({"name": "some package"})") << "left alone";
}

TEST(Bench, AResultFileHasAllRungsOrIsNotWritten) {
  const Lab lab("gpu");
  const std::pair<std::vector<std::string>, std::string> refused[] = {
      {{"bench", "toy", "--save", "--rung", "01"}, "the first has every rung"},
      {{"bench", "toy", "--save", "--no-peers"}, "leave out --no-peers"},
      {{"bench", "toy_gather", "--save"}, "whole result files"}};
  for (const auto& [words, why] : refused) {
    const Said s = lab.run(words);
    EXPECT_EQ(s.status, 2);
    EXPECT_NE(s.err.find(why), std::string::npos) << s.err;
  }
  EXPECT_FALSE(std::filesystem::exists(lab.home() / file));
}

TEST(Bench, AFirstFileMayHaveSomeCases) {
  const Lab lab("gpu");
  ASSERT_EQ(lab.run({"bench", "toy", "--save", "--dtype", "f32"}).status, 0);
  const json file_json = json::parse(lab.read(file));
  EXPECT_FALSE(file_json["records"].empty());
  for (const json& r : file_json["records"]) EXPECT_EQ(r["dtype"], "f32");
}

TEST(Bench, APartIsMeasuredAgainAndTheRestStays) {
  const Lab lab("gpu");
  ASSERT_EQ(lab.run({"bench", "toy", "--save"}).status, 0);
  const json before = json::parse(lab.read(file));
  const std::string rung = before["records"][0]["name"];
  const Said s = lab.run({"bench", "toy", "--save", "--rung", rung});
  ASSERT_EQ(s.status, 0) << s.err << s.out;
  const json after = json::parse(lab.read(file));
  ASSERT_EQ(after["records"].size(), before["records"].size());
  for (std::size_t i = 0; i < before["records"].size(); ++i) {
    const json &was = before["records"][i], &is = after["records"][i];
    for (const char* field : {"op", "name", "case", "dtype"}) EXPECT_EQ(is[field], was[field]);
    if (is["name"] == rung) {
      EXPECT_FALSE(is.contains("date")) << "measured with the head";
    } else {
      EXPECT_EQ(is["date"], before["date"]);
      EXPECT_EQ(is.value("time_us", json()), was.value("time_us", json()));
    }
  }
}

TEST(Run, OnAGpuShowsTimesAfterTheChecks) {
  const Lab lab("gpu");
  const Said s = lab.run({"run", "toy"});
  EXPECT_EQ(s.status, 0) << s.err;
  EXPECT_NE(s.out.find("roofline"), std::string::npos);
  EXPECT_NE(s.out.find("next:"), std::string::npos);
  EXPECT_NE(s.out.find("needs sm_90, this device is sm_80"), std::string::npos);
}

TEST(Run, PeersCanBeLeftOut) {
  const Lab lab("gpu");
  EXPECT_EQ(lab.run({"bench", "toy", "--no-peers"}).out.find("vendor (peer)"), std::string::npos);
}

}  // namespace
