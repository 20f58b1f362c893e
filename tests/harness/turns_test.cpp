// Contestants are timed in turns: their order, their groups, and what happens to one that fails in
// a turn.
#include "harness/turns.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>

#include "harness/library.h"
#include "harness/runner.h"

using namespace warpath;
using namespace warpath::harness;

namespace {

using Words = std::vector<std::string>;
using Groups = std::vector<std::vector<std::size_t>>;

TEST(Timing, QuantilesLieBetweenTheSamples) {
  EXPECT_EQ(quantile({7}, 0.2), 7);
  EXPECT_EQ(quantile({1, 2}, 0.5), 1.5);
  EXPECT_EQ(quantile({1, 2, 4}, 0), 1);
  EXPECT_EQ(quantile({1, 2, 4}, 1), 4);
  EXPECT_EQ(quantile({1, 2, 4}, 0.75), 3);
  const Timing t = summarise_samples({50, 10, 40, 20, 30, 60});
  EXPECT_DOUBLE_EQ(t.median_us, 35);
  EXPECT_DOUBLE_EQ(t.p20_us, 20);
  EXPECT_DOUBLE_EQ(t.p80_us, 50);
  EXPECT_EQ(t.samples, 6);
}

TEST(Turns, EverySecondRoundGoesTheOtherWay) {
  EXPECT_EQ(order_of_round({2, 5, 7}, 0), (std::vector<std::size_t>{2, 5, 7}));
  EXPECT_EQ(order_of_round({2, 5, 7}, 1), (std::vector<std::size_t>{7, 5, 2}));
  EXPECT_EQ(order_of_round({2, 5, 7}, 2), (std::vector<std::size_t>{2, 5, 7}));
  EXPECT_EQ(timing_rounds % 2, 0) << "both orders as often";
}

TEST(Turns, TheSharesAreTheWhole) {
  const TimerOptions whole;
  TimerOptions sum{0, 0, 0};
  for (int round = 0; round < timing_rounds; ++round) {
    const TimerOptions o = options_of_round(0.3, round);
    EXPECT_GE(o.min_samples, 1) << "every turn gives a sample";
    sum.seconds += o.seconds;
    sum.min_samples += o.min_samples;
    sum.max_samples += o.max_samples;
  }
  EXPECT_DOUBLE_EQ(sum.seconds, 0.3);
  EXPECT_EQ(sum.min_samples, whole.min_samples);
  EXPECT_EQ(sum.max_samples, whole.max_samples);
}

TEST(Turns, GroupsFitAndAreFilledFromTheEnd) {
  EXPECT_EQ(groups_that_fit({}, 10), Groups{});
  EXPECT_EQ(groups_that_fit({4, 3, 3}, 10), (Groups{{0, 1, 2}}));
  EXPECT_EQ(groups_that_fit({4, 4, 3, 3}, 10), (Groups{{0}, {1, 2, 3}}));
  EXPECT_EQ(groups_that_fit({1, 1, 6, 6, 6}, 12), (Groups{{0, 1, 2}, {3, 4}}));
  EXPECT_EQ(groups_that_fit({2, 20, 2, 2}, 10), (Groups{{0}, {1}, {2, 3}})) << "one does not fit";
  EXPECT_EQ(groups_that_fit({0, 0}, 0), (Groups{{0, 1}}));
  EXPECT_EQ(groups_that_fit({1, 1}, 0), (Groups{{0}, {1}}));
  EXPECT_LT(room_in(800), 800);
  EXPECT_GE(room_in(800), 600);
}

// The rungs of fakes/relay.cpp on a device that claims to be a GPU.
class Relay : public testing::Test {
 protected:
  Relay() {
    const std::filesystem::path lib = std::filesystem::path(WARPATH_FAKES) / "gpu";
    library_ = open_library(lib / "relay_cuda.so");
    EXPECT_TRUE(library_.ok()) << library_.error;
    settings_.device_library = lib / "device_cuda.so";
    settings_.gpu = settings_.time = true;
    settings_.arch = 80;
    log_ = testing::TempDir() + "/relay_XXXXXX";
    close(mkstemp(log_.data()));
    setenv("WARPATH_FAKE_LOG", log_.c_str(), 1);
  }
  ~Relay() override {
    unsetenv("WARPATH_FAKE_LOG");
    unsetenv("WARPATH_FAKE_FREE");
    std::filesystem::remove(log_);
  }

  std::map<std::string, Record> run(const Words& rungs, const Watch& watch = {}) {
    const Op& op = library_.registry->ops.front();
    std::vector<Contestant> contestants;
    for (const std::string& name : rungs)
      for (const Rung& r : library_.registry->rungs)
        if (r.name == name) contestants.push_back({&r, r.name});
    EXPECT_EQ(contestants.size(), rungs.size());
    std::map<std::string, Record> records;
    for (Record& r : run_op(settings_, op, contestants, {{0, DType::f32}}, watch))
      records[r.name] = std::move(r);
    return records;
  }

  // The entries of the log: "check NAME" for launches outside of a turn, "time NAME" for a turn.
  Words steps() const {
    Words told;
    bool turn = false;
    std::ifstream in(log_);
    for (std::string line; std::getline(in, line);) {
      if (line.starts_with("turn ")) {
        turn = true;
        continue;
      }
      const std::string check = "check " + line, time = "time " + line;
      if (turn)
        told.push_back(time);
      else if (told.empty() || (told.back() != check && told.back() != time))
        told.push_back(check);
      turn = false;
    }
    return told;
  }

  Words turns() const {
    Words lines;
    std::ifstream in(log_);
    for (std::string line; std::getline(in, line);)
      if (line.starts_with("turn ")) lines.push_back(line);
    return lines;
  }

  OpenLibrary library_;
  Settings settings_;
  std::string log_;
};

TEST_F(Relay, AllAreCheckedThenAllTakeTurns) {
  std::vector<std::string> finished;
  const auto records =
      run({"01_one", "02_two", "03_three"},
          {.progress = {}, .record = [&](const Record& r) { finished.push_back(r.name); }});
  EXPECT_EQ(steps(), (Words{"check 01_one", "check 02_two", "check 03_three",  //
                            "time 01_one", "time 02_two", "time 03_three",     //
                            "time 03_three", "time 02_two", "time 01_one",     //
                            "time 01_one", "time 02_two", "time 03_three",     //
                            "time 03_three", "time 02_two", "time 01_one"}));
  EXPECT_EQ(finished, (Words{"01_one", "02_two", "03_three"}));
  for (const auto& [name, r] : records) {
    ASSERT_EQ(r.status, Status::passed) << name << ": " << r.reason;
    ASSERT_TRUE(r.timing.has_value());
    // By the fake's timer a process takes samples of 10, 20, 30, 40 and 50 us: two in the first
    // turn, one in each of the other three.
    EXPECT_EQ(r.timing->samples, 5);
    EXPECT_DOUBLE_EQ(r.timing->median_us, 30);
    EXPECT_DOUBLE_EQ(r.timing->p20_us, 18);
    EXPECT_DOUBLE_EQ(r.timing->p80_us, 42);
  }
}

TEST_F(Relay, ATurnKnowsWhatTheOneBeforeTook) {
  settings_.seconds = 0.4;
  run({"01_one"});
  EXPECT_EQ(turns(),
            (Words{"turn 0.1 2 50 0", "turn 0.1 1 50 15", "turn 0.1 1 50 30", "turn 0.1 1 50 40"}));
}

TEST_F(Relay, ARestComesBeforeEachTurn) {
  settings_.rest = 0.02;
  const auto begin = std::chrono::steady_clock::now();
  run({"01_one", "02_two"});
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  EXPECT_GE(took.count(), 2 * timing_rounds * settings_.rest);
}

TEST_F(Relay, WhatDoesNotPassHasNoTurn) {
  const auto records = run({"01_one", "wrong_at_once", "02_two"});
  EXPECT_EQ(records.at("wrong_at_once").status, Status::failed);
  EXPECT_FALSE(records.at("wrong_at_once").timing.has_value());
  EXPECT_TRUE(records.at("01_one").timing.has_value());
  EXPECT_TRUE(records.at("02_two").timing.has_value());
  const Words all = steps();
  EXPECT_EQ(std::count(all.begin(), all.end(), "check wrong_at_once"), 1);
  EXPECT_EQ(std::count(all.begin(), all.end(), "time wrong_at_once"), 0);
  EXPECT_EQ(std::count(all.begin(), all.end(), "time 02_two"), timing_rounds);
}

TEST_F(Relay, OneThatDiesInATurnLeavesTheOthers) {
  const auto records = run({"01_one", "dies", "02_two"});
  EXPECT_EQ(records.at("dies").reason, "exited with status 3");
  EXPECT_FALSE(records.at("dies").timing.has_value());
  for (const char* name : {"01_one", "02_two"}) {
    ASSERT_TRUE(records.at(name).timing.has_value()) << records.at(name).reason;
    EXPECT_EQ(records.at(name).timing->samples, 5);
  }
  EXPECT_EQ(steps(), (Words{"check 01_one", "check dies", "check 02_two",  //
                            "time 01_one", "time dies", "time 02_two",     //
                            "time 02_two", "time dies", "time 01_one",     //
                            "time 01_one", "time 02_two",                  //
                            "time 02_two", "time 01_one"}));
}

TEST_F(Relay, OneThatHangsInATurnLeavesTheOthers) {
  settings_.timeout = 4;
  settings_.seconds = 0.05;
  const auto records = run({"hangs", "01_one"});
  EXPECT_EQ(records.at("hangs").reason, "no answer within 5 s");
  EXPECT_FALSE(records.at("hangs").timing.has_value());
  EXPECT_TRUE(records.at("01_one").timing.has_value()) << records.at("01_one").reason;
}

TEST_F(Relay, WhatGoesWrongInTheLastTurnIsSeen) {
  const auto records = run({"late", "spoils", "01_one"});
  EXPECT_TRUE(records.at("late").reason.starts_with("after the timed launches y[0,0] is 77"))
      << records.at("late").reason;
  EXPECT_EQ(records.at("spoils").reason, "changed its input x[0,4]");
  for (const char* name : {"late", "spoils"}) {
    EXPECT_EQ(records.at(name).status, Status::failed);
    EXPECT_FALSE(records.at(name).timing.has_value());
  }
  EXPECT_TRUE(records.at("01_one").timing.has_value());
}

TEST_F(Relay, ASmallDeviceTakesThemInGroups) {
  // Each takes 4 pages of tensors: two fit, and the last two share a group.
  setenv("WARPATH_FAKE_FREE", "40000", 1);
  const auto records = run({"01_one", "02_two", "03_three"});
  for (const auto& [name, r] : records) EXPECT_TRUE(r.timing.has_value()) << name << r.reason;
  EXPECT_EQ(steps(), (Words{"check 01_one", "time 01_one", "time 01_one", "time 01_one",
                            "time 01_one", "check 02_two", "check 03_three",  //
                            "time 02_two", "time 03_three",                   //
                            "time 03_three", "time 02_two",                   //
                            "time 02_two", "time 03_three",                   //
                            "time 03_three", "time 02_two"}));
}

TEST_F(Relay, ProgressTellsTheStep) {
  Words told;
  run({"01_one"},
      {.progress = [&](const std::string& what, std::size_t, std::size_t) { told.push_back(what); },
       .record = {}});
  EXPECT_EQ(told, (Words{"relay timed f32", "relay timed f32 01_one",
                         "relay timed f32 01_one, timing 1/4", "relay timed f32 01_one, timing 2/4",
                         "relay timed f32 01_one, timing 3/4", "relay timed f32 01_one, timing 4/4",
                         "relay timed f32 01_one, checking again"}));
}

}  // namespace
