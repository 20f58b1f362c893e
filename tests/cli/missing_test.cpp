// bench --missing: what result files lack, on a device that claims to be a GPU.
#include <gtest/gtest.h>

#include "command.h"

using nlohmann::json;
using warpath::testing::expect_refusal;
using warpath::testing::Lab;
using warpath::testing::Said;

namespace {

constexpr const char* file = "ops/toys/toy/results/fake100.json";

json records(const Lab& lab) {
  return json::parse(lab.read(file))["records"];
}

json missing(const Lab& lab, const std::string& what = "toy") {
  const Said s = lab.run({"bench", what, "--missing", "--list", "--json"});
  EXPECT_EQ(s.status, 0) << s.err;
  return s.json()["missing"];
}

// Takes the records away for which `gone` is true.
template <class Gone>
void forget(const Lab& lab, Gone gone) {
  json j = json::parse(lab.read(file));
  json kept = json::array();
  for (const json& r : j["records"])
    if (!gone(r)) kept.push_back(r);
  ASSERT_LT(kept.size(), j["records"].size());
  j["records"] = kept;
  lab.write(file, j.dump());
}

TEST(Missing, EverythingWhereThereIsNoFile) {
  const Lab lab("gpu");
  const json all = missing(lab);
  ASSERT_EQ(all.size(), 3u);  // toy's case in two types, and toy_gather's
  for (const json& m : all) EXPECT_EQ(m["why"], "a rung that was never timed");
  EXPECT_FALSE(std::filesystem::exists(lab.home() / file)) << "--list measures nothing";
}

TEST(Missing, IsMeasuredAndThenNothingIs) {
  const Lab lab("gpu");
  const Said s = lab.run({"bench", "toy", "--missing"});
  ASSERT_EQ(s.status, 0) << s.err << s.out;
  EXPECT_NE(s.out.find("3 cases measured and saved, 0 left"), std::string::npos) << s.out;
  EXPECT_TRUE(missing(lab).empty());
  const Said again = lab.run({"bench", "toy", "--missing"});
  EXPECT_EQ(again.status, 0);
  EXPECT_NE(again.out.find("nothing is missing"), std::string::npos) << again.out;
  // The same records as a whole bench has.
  const Lab other("gpu");
  ASSERT_EQ(other.run({"bench", "toy", "--save"}).status, 0);
  std::multiset<std::string> here, there;
  const auto key = [](const json& r) {
    return r["op"].get<std::string>() + r["name"].get<std::string>() +
           r["dtype"].get<std::string>();
  };
  const json mine = records(lab), theirs = records(other);
  for (const json& r : mine) here.insert(key(r));
  for (const json& r : theirs)
    if (r["status"] == "passed") there.insert(key(r));
  EXPECT_EQ(here, there);
}

TEST(Missing, OneRungIsTimedBesideTheFastestRungAndPeer) {
  const Lab lab("gpu");
  ASSERT_EQ(lab.run({"bench", "toy", "--save"}).status, 0);
  forget(lab, [](const json& r) { return r["name"] == "02_scratch" && r["dtype"] == "f32"; });
  const json list = missing(lab);
  ASSERT_EQ(list.size(), 1u) << list;
  EXPECT_EQ(list[0]["missing"], json::array({"02_scratch"}));
  EXPECT_EQ(list[0]["why"], "a rung has no time here");
  const json told = lab.run({"bench", "toy", "--missing", "--json"}).json();
  ASSERT_EQ(told["ops"].size(), 1u);
  std::set<std::string> timed;
  for (const json& r : told["ops"][0]["records"]) timed.insert(r["name"]);
  EXPECT_EQ(timed.size(), 3u) << told["ops"][0]["records"];
  EXPECT_TRUE(timed.contains("02_scratch") && timed.contains("vendor"));
  EXPECT_EQ(told["left"], 0);
}

TEST(Missing, SaysWhy) {
  const Lab lab("gpu");
  ASSERT_EQ(lab.run({"bench", "toy", "--save"}).status, 0);
  const std::string whole = lab.read(file);
  forget(lab, [](const json& r) { return r["kind"] == "peer" && r["dtype"] == "f32"; });
  EXPECT_EQ(missing(lab)[0]["why"], "no time of a peer");
  lab.write(file, whole);
  forget(lab, [](const json& r) {
    return r["op"] == "toy" && r["kind"] == "rung" && r["dtype"] == "f32";
  });
  EXPECT_EQ(missing(lab)[0]["why"], "no rung has a time here");
  lab.write(file, whole);
  forget(lab, [](const json& r) { return r["name"] == "01_good"; });
  EXPECT_EQ(missing(lab)[0]["why"], "a rung that was never timed");
}

TEST(Missing, ARungWithOtherCodeIsTimedAgain) {
  const Lab lab("gpu");
  lab.write("toy/01_good.cu", "#include \"toy/tile.cuh\"\nint a = 1;  // one\n");
  lab.write("toy/tile.cuh", "int tile = 8;\n");
  ASSERT_EQ(lab.run({"bench", "toy", "--save"}).status, 0);
  const json saved = records(lab);
  EXPECT_FALSE(saved.empty());
  for (const json& r : saved)
    EXPECT_EQ(r.contains("source"), r["name"] == "01_good" && r["op"] == "toy") << r;
  lab.write("toy/01_good.cu", "#include \"toy/tile.cuh\"\n// another remark\nint a\n    = 1;\n");
  EXPECT_TRUE(missing(lab).empty()) << "remarks and layout are no code";
  lab.write("toy/tile.cuh", "int tile = 16;\n");
  const json list = missing(lab);
  ASSERT_EQ(list.size(), 2u) << list;
  EXPECT_EQ(list[0]["why"], "a rung has other code now");
  EXPECT_EQ(list[0]["missing"], json::array({"01_good"}));
  ASSERT_EQ(lab.run({"bench", "toy", "--missing"}).status, 0);
  EXPECT_TRUE(missing(lab).empty());
}

TEST(Missing, ATimeOfUnknownCodeIsTakenAgain) {
  const Lab lab("gpu");
  lab.write("toy/01_good.cu", "int a = 1;\n");
  ASSERT_EQ(lab.run({"bench", "toy", "--save"}).status, 0);
  json j = json::parse(lab.read(file));
  for (json& r : j["records"])
    if (r["name"] == "01_good") r.erase("source");
  lab.write(file, j.dump());
  const json list = missing(lab);
  ASSERT_EQ(list.size(), 2u) << list;
  EXPECT_EQ(list[0]["missing"], json::array({"01_good"}));
  EXPECT_EQ(list[0]["why"], "nothing tells which code was timed");
  ASSERT_EQ(lab.run({"bench", "toy", "--missing"}).status, 0);
  EXPECT_TRUE(missing(lab).empty());
}

TEST(Missing, ARungThatWouldTakeLongIsNot) {
  const Lab lab("gpu");
  ASSERT_EQ(lab.run({"bench", "toy", "--save"}).status, 0);
  json j = json::parse(lab.read(file));
  for (json& r : j["records"]) {
    if (r["name"] == "02_scratch" && r["dtype"] == "f32") {  // a small case that took a second
      r["case"] = "another";
      r["bytes"] = r["flops"] = 1;
      r["time_us"]["median"] = 1e6;
    }
  }
  lab.write(file, j.dump());
  EXPECT_TRUE(missing(lab).empty());
  const Said s = lab.run({"bench", "toy", "--missing", "--list", "--json", "--patience", "1e9"});
  EXPECT_EQ(s.json()["missing"].size(), 1u) << s.out;
}

TEST(Missing, EndsInTimeAndGoesOn) {
  const Lab lab("gpu");
  const Said none = lab.run({"bench", "toy", "--missing", "--within", "1e-9"});
  EXPECT_EQ(none.status, 0) << none.err;
  EXPECT_NE(none.out.find("0 cases measured and saved, 3 left; the same command goes on"),
            std::string::npos)
      << none.out;
}

TEST(Missing, IsListedWithoutAGpuByTheFilesOfEachDevice) {
  const Lab gpu("gpu"), cpu("cpu");
  ASSERT_EQ(gpu.run({"bench", "toy", "--save", "--dtype", "f32"}).status, 0);
  expect_refusal(cpu.run({"bench", "toy", "--missing", "--list"}), "no GPU has left results");
  cpu.write(file, gpu.read(file));
  const Said s = cpu.run({"bench", "toy", "--missing", "--list"});
  EXPECT_EQ(s.status, 0) << s.err;
  EXPECT_NE(s.out.find("no rung has a time here"), std::string::npos) << s.out;
  EXPECT_NE(s.out.find("fake100: "), std::string::npos) << s.out;
  EXPECT_EQ(s.out.find("04_cluster"), std::string::npos) << "not for that device";
  EXPECT_EQ(cpu.run({"bench", "toy", "--missing"}).status, 2) << "times need a GPU";
}

TEST(Missing, RefusesWhatDoesNotGoTogether) {
  const Lab lab("gpu");
  expect_refusal(lab.run({"bench", "toy", "--list"}), "go with --missing");
  expect_refusal(lab.run({"bench", "toy", "--within", "5"}), "go with --missing");
  expect_refusal(lab.run({"bench", "toy", "--missing", "--rung", "01"}), "leave out --rung");
  expect_refusal(lab.run({"bench", "toy", "--missing", "--no-peers"}), "leave out --no-peers");
}

// Frameworks are asked for the cases that lack them, once per op.
TEST(Missing, FrameworksToo) {
  const Lab lab("gpu");
  ASSERT_EQ(lab.run({"bench", "toy", "--save"}).status, 0);
  lab.write("python",
            "#!/bin/sh\necho \"$@\" >> asked\n"
            "cat > \"$5\" <<'END'\n"
            R"([{"op": "toy", "case": "big", "dtype": "f32", "name": "PyTorch", "passed": true,
                 "reason": "", "error": 0, "bytes": 8, "flops": 1, "median_us": 2, "p20_us": 2,
                 "p80_us": 2}])"
            "\nEND\n");
  std::filesystem::permissions(lab.home() / "python", std::filesystem::perms::owner_all);
  const std::string python = (lab.home() / "python").string();
  const Said s =
      lab.run({"bench", "toy", "--case", "big", "--dtype", "f32", "--missing", "--python", python});
  ASSERT_EQ(s.status, 0) << s.err << s.out;
  EXPECT_NE(lab.read("asked").find("toy --case big --dtype f32"), std::string::npos)
      << lab.read("asked");
  int seen = 0;
  const json saved = records(lab);
  for (const json& r : saved) seen += r["name"] == "PyTorch";
  EXPECT_EQ(seen, 1);
}

}  // namespace
