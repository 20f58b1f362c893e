// Isolation: whatever a kernel does, it is reported, and the next one runs.
#include "harness/runner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "harness/library.h"
#include "harness/sanitizer.h"
#include "simt/runtime/tools/finding_kind.h"

using namespace warpath;
using namespace warpath::harness;

namespace {

struct Fixture {
  explicit Fixture(const std::string& folder, const std::string& kind = "cpu") {
    const std::filesystem::path lib = std::filesystem::path(WARPATH_FAKES) / kind;
    const std::string backend = kind == "gpu" ? "cuda" : "simt";
    library = open_library(lib / (folder + "_" + backend + ".so"));
    EXPECT_TRUE(library.ok()) << library.error;
    settings.device_library = lib / ("device_" + backend + ".so");
    settings.gpu = kind == "gpu";
    settings.time = settings.gpu;
    settings.arch = 80;
    settings.timeout = 20;
  }

  const Op& op(const std::string& name) const {
    for (const Op& o : library.registry->ops)
      if (o.contract.name() == name) return o;
    throw std::runtime_error("no op " + name);
  }

  std::vector<Record> run(const std::string& op_name, const std::vector<std::string>& rungs = {},
                          bool bench = false) {
    const Op& o = op(op_name);
    std::vector<Contestant> contestants;
    for (const Rung& r : library.registry->rungs)
      if (r.op == op_name &&
          (rungs.empty() || std::find(rungs.begin(), rungs.end(), r.name) != rungs.end()))
        contestants.push_back({&r, r.name});
    std::vector<Attempt> attempts;
    for (std::size_t i = 0; i < o.cases.size(); ++i)
      if (o.cases[i].bench == bench)
        for (const DType d : dtypes_of(o, o.cases[i])) attempts.push_back({i, d});
    return run_op(settings, o, contestants, attempts);
  }

  // The reason for which a bad rung fails on its first case.
  std::string reason(const std::string& rung, bool bench = false) {
    const auto records = run("unruly", {rung}, bench);
    EXPECT_FALSE(records.empty());
    for (const Record& r : records) {
      EXPECT_EQ(r.status, Status::failed) << rung << " on " << r.test;
      EXPECT_FALSE(r.timing.has_value());
    }
    last_output = records.front().output;
    return records.front().reason;
  }

  OpenLibrary library;
  Settings settings;
  std::string last_output;
};

TEST(Runner, GoodRungsPassEveryCase) {
  Fixture f("toy");
  std::map<Status, int> count;
  for (const Record& r : f.run("toy")) {
    ++count[r.status];
    EXPECT_NE(r.status, Status::failed) << r.name << " " << r.test << ": " << r.reason;
    EXPECT_FALSE(r.timing.has_value());
  }
  EXPECT_GT(count[Status::passed], 20);
}

TEST(Runner, SkipsSayWhy) {
  Fixture f("toy");
  for (const Record& r : f.run("toy", {"03_even", "04_cluster_sm90"})) {
    if (r.name == "04_cluster_sm90") {
      EXPECT_EQ(r.status, Status::skipped);
      EXPECT_EQ(r.reason, "needs sm_90, this device is sm_80");
    } else if (r.test == "odd") {
      EXPECT_EQ(r.status, Status::skipped);
      EXPECT_EQ(r.reason, "needs an even number of columns");
    }
  }
}

TEST(Runner, PositionsInPlaceAndOptionalTensors) {
  Fixture f("toy");
  const auto records = f.run("toy_gather");
  ASSERT_EQ(records.size(), 2u);
  for (const Record& r : records) EXPECT_EQ(r.status, Status::passed) << r.test << ": " << r.reason;
}

TEST(Runner, SeveralAtOnceGiveTheSame) {
  Fixture f("toy");
  f.settings.jobs = 4;
  const auto together = f.run("toy");
  f.settings.jobs = 1;
  const auto alone = f.run("toy");
  ASSERT_EQ(together.size(), alone.size());
  for (std::size_t i = 0; i < alone.size(); ++i) {
    EXPECT_EQ(together[i].name, alone[i].name);
    EXPECT_EQ(together[i].status, alone[i].status);
    EXPECT_EQ(together[i].error, alone[i].error);
  }
}

TEST(Runner, CrashIsReportedWithWhatWasPrinted) {
  Fixture f("unruly");
  EXPECT_EQ(f.reason("crash"), "crashed: segmentation fault");
  EXPECT_EQ(f.last_output, "about to crash\n");
}

TEST(Runner, HangEndsAtTheTimeLimit) {
  Fixture f("unruly");
  f.settings.timeout = 0.3;
  EXPECT_EQ(f.reason("hang"), "no answer within 0.3 s");
}

// A loop that never ends costs its limit twice, not once per case.
TEST(Runner, WhatHangsTwiceIsLeftOutOfTheOtherCases) {
  Fixture f("unruly");
  f.settings.timeout = 0.2;
  const Op& op = f.op("unruly");
  std::vector<Contestant> contestants;
  for (const Rung& r : f.library.registry->rungs)
    if (r.name == "hang" || r.name == "honest") contestants.push_back({&r, r.name});
  const auto records =
      run_op(f.settings, op, contestants, std::vector<Attempt>(5, {0, DType::f32}));
  ASSERT_EQ(records.size(), 10u);
  std::vector<std::string> said;
  for (const Record& r : records) {
    if (r.name == "honest") {
      EXPECT_EQ(r.status, Status::passed);
    } else {
      EXPECT_EQ(r.status, said.size() < 2 ? Status::failed : Status::skipped);
      said.push_back(r.reason);
    }
  }
  EXPECT_EQ(said.at(1), "no answer within 0.2 s");
  EXPECT_EQ(said.at(4),
            "it did not end on small f32 and on small f32; --timeout S gives it longer");
}

TEST(Runner, WhatARungPrintsIsKeptOfOneLaunch) {
  Fixture f("unruly");
  for (const Record& r : f.run("unruly", {"prints"})) {
    EXPECT_EQ(r.status, Status::passed) << r.reason;
    EXPECT_EQ(r.output, "x[0] of " + std::to_string(r.test == "small" ? 15 : 150) + "\n");
  }
  const auto records = f.run("unruly", {"prints_much"});
  const std::string& much = records.front().output;
  EXPECT_TRUE(much.starts_with("line 0\nline 1\n")) << much;
  EXPECT_LT(much.size(), 4100u);
  const std::size_t cut = much.find("… and ");
  ASSERT_NE(cut, std::string::npos) << much;
  const auto shown = std::count(much.begin(), much.begin() + std::ptrdiff_t(cut), '\n');
  EXPECT_EQ(much.substr(cut), "… and " + std::to_string(10000 - shown) + " more lines\n");
}

TEST(Runner, ExitIsReported) {
  EXPECT_EQ(Fixture("unruly").reason("exit"), "exited with status 3");
}

TEST(Runner, ErrorsOfALauncherAreReported) {
  EXPECT_EQ(Fixture("unruly").reason("throw"), "cudaErrorMadeUp: it broke");
}

TEST(Runner, WritesAroundATensorAreSeen) {
  EXPECT_EQ(Fixture("unruly").reason("past_end"), "wrote past the end of y (byte 1 after it)");
  EXPECT_EQ(Fixture("unruly").reason("before_start"),
            "wrote before the start of y (1 bytes before it)");
  EXPECT_EQ(Fixture("unruly").reason("past_input"), "wrote past the end of x (byte 1 after it)");
}

// What a kernel without its bounds test writes there is made of what it read past the other ends.
TEST(Runner, WritesMadeOfWhatLiesAroundAreSeen) {
  EXPECT_EQ(Fixture("unruly").reason("past_both_ends"),
            "wrote past the end of y (byte 1 after it)");
  EXPECT_EQ(Fixture("unruly").reason("changes_past_end"),  // twice a number: its exponent
            "wrote past the end of y (byte 3 after it)");
}

TEST(Runner, AReadPastTheEndIsNaN) {
  EXPECT_NE(Fixture("unruly").reason("reads_past").find("y[0,0] is nan"), std::string::npos);
}

TEST(Runner, AChangedInputIsSeen) {
  EXPECT_EQ(Fixture("unruly").reason("changes_input"), "changed its input x[0,4]");
}

TEST(Runner, AnUnwrittenElementIsSeen) {
  EXPECT_EQ(Fixture("unruly").reason("unwritten"), "did not write y[1,2]");
}

TEST(Runner, OldContentsMustNotMatter) {
  EXPECT_TRUE(
      Fixture("unruly").reason("old_contents").starts_with("y[0,2] depends on what the output"));
  // NaN + x is the NaN that was there: that element was written all the same.
  EXPECT_TRUE(Fixture("unruly").reason("adds_up").starts_with("y[0,0] depends on what the output"));
}

TEST(Runner, AResultThatChangesFromRunToRunIsSeen) {
  const std::string reason = Fixture("unruly").reason("random");
  EXPECT_TRUE(reason.starts_with("y[0,3] differs from run to run")) << reason;
  EXPECT_NE(reason.find(".deterministic = false"), std::string::npos) << reason;
}

TEST(Runner, AnHonestNondeterministicRungPasses) {
  Fixture f("unruly");
  for (const Record& r : f.run("unruly", {"honest"}))
    EXPECT_EQ(r.status, Status::passed) << r.reason;
}

TEST(Runner, WrongNumbersAreSeen) {
  EXPECT_NE(Fixture("unruly").reason("off_by_one").find("y[2,4] is"), std::string::npos);
  EXPECT_NE(Fixture("unruly").reason("zero").find("15 of 15 elements wrong"), std::string::npos);
}

TEST(Runner, ABadRungDoesNotHurtTheNext) {
  Fixture f("unruly");
  f.settings.jobs = 3;
  f.settings.timeout = 0.5;
  const auto records = f.run("unruly", {"crash", "exit", "hang", "honest", "throw", "past_end"});
  ASSERT_EQ(records.size(), 12u);
  for (const Record& r : records)
    EXPECT_EQ(r.status, r.name == "honest" ? Status::passed : Status::failed)
        << r.name << ": " << r.reason;
}

TEST(Runner, OnlyWhatPassedIsTimed) {
  Fixture f("toy", "gpu");
  for (const Record& r : f.run("toy", {"01_good", "vendor"}, true)) {
    ASSERT_EQ(r.status, Status::passed) << r.reason;
    ASSERT_TRUE(r.timing.has_value());
    EXPECT_GT(r.timing->median_us, 0);
    EXPECT_EQ(r.cost.bytes, 2.0 * 64 * 1024 * 4);
  }
  for (const Record& r : f.run("toy_gather", {}, true)) {
    EXPECT_EQ(r.status, Status::passed)
        << "an in-place tensor is restored after the timed loop: " << r.reason;
    EXPECT_TRUE(r.timing.has_value());
  }
}

TEST(Runner, AnOutputInTheMemoryOfItsInput) {
  Fixture f("in_place", "gpu");
  for (const bool bench : {false, true}) {
    for (const Record& r : f.run("pairs", {"forwards"}, bench))
      EXPECT_EQ(r.status, Status::passed) << r.test << ": " << r.reason;
    for (const Record& r : f.run("pairs", {"backwards"}, bench)) {
      EXPECT_EQ(r.status, r.test == "apart" ? Status::passed : Status::failed) << r.test;
      if (r.test != "apart") {
        EXPECT_TRUE(r.reason.starts_with("y[")) << r.reason;
      }
    }
  }
}

// The list is that of simt: a kind that is new there has its column in `check --sanitize`.
TEST(Sanitizer, EveryKindOfFindingHasAColumn) {
  std::map<std::string, int> kinds;
  for (const simt::KindEntry& entry : simt::finding_kinds) {
    const std::string check = check_of({{"kind", std::string(entry.name)}});
    EXPECT_EQ(check, entry.check);
    ++kinds[check];
  }
  for (const std::string_view check : simt::check_names)
    EXPECT_GT(kinds[std::string(check)], 0) << check;
  EXPECT_EQ(kinds.size(), std::size(simt::check_names));
  for (const auto& [kind, check] : {std::pair("missing proxy fence", "race"),
                                    {"register in flight", "race"},
                                    {"missed phase", "sync"},
                                    {"never waited for", "sync"},
                                    {"missing wgmma.fence", "sync"},
                                    {"deadlock", "sync"},
                                    {"bad address", "memory"},
                                    {"use after exit", "memory"},
                                    {"failed assert", "fault"},
                                    {"failed call", "api"},
                                    {"refused launch", "api"}})
    EXPECT_EQ(check_of({{"kind", kind}}), check);
  EXPECT_EQ(check_of({{"kind", "something new"}}), "other");
}

TEST(Runner, WhatGoesWrongInTheTimedLoopIsSeen) {
  Fixture f("unruly", "gpu");
  EXPECT_TRUE(f.reason("late", true).starts_with("after the timed launches y[0,0] is 77"));
}

}  // namespace
