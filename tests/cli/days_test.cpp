// days, day, done: what they say, what opens a day, and the file of a learner's progress.
#include <gtest/gtest.h>

#include "command.h"

namespace fs = std::filesystem;
using nlohmann::json;
using warpath::testing::expect_refusal;
using warpath::testing::Lab;
using warpath::testing::Said;

namespace {

json a_day(int number, const json& more) {
  json d = {{"day", number},          {"title", "Day " + std::to_string(number)},
            {"kind", "op"},           {"op", "toy"},
            {"minutes", 30},          {"idea", {"An idea."}},
            {"learn", {"something"}}, {"task", "Do it."}};
  if (!more.is_null()) d.update(more);
  return d;
}

json a_track(const std::string& id, const std::vector<json>& days) {
  return {{"track", id}, {"title", "Track " + id}, {"about", "About it."}, {"days", days}};
}

// Track A: the op toy, an op that is not there, a program. Track D: days 1, 2 and 5.
struct Days : ::testing::Test {
  Days() {
    lab.write("ops/toys/toy/01_naive.cu", "");
    lab.write("ops/toys/toy/02_better.cu", "");
    const json program = {{"kind", "program"}, {"program", "hello"}, {"prints", {"hello"}}};
    json p = a_day(3, program);
    p.erase("op");
    track(
        a_track("A", {a_day(1, {{"rung", "01"}}), a_day(2, {{"op", "later"}, {"rung", "01"}}), p}));
    track(a_track("D", {a_day(1, {{"rung", "02_better"}}), a_day(2, {}), a_day(5, {})}));
  }
  void track(const json& t) {
    lab.write(
        "course/" + std::string(1, char(std::tolower(t["track"].get<std::string>()[0]))) + ".json",
        t.dump());
  }
  bool says(const std::vector<std::string>& words, const std::string& text) {
    const Said s = lab.run(words);
    EXPECT_EQ(s.status, 0) << s.err;
    return s.out.find(text) != std::string::npos;
  }
  Lab lab;
};

TEST_F(Days, TheTracksAreCounted) {
  const Said s = lab.run({"days", "--json"});
  ASSERT_EQ(s.status, 0) << s.err;
  const json a = s.json()["tracks"][0];
  EXPECT_EQ(a["total"], 3);
  EXPECT_EQ(lab.run({"days", "A", "--json"}).json()["days"].size(), 3u);
  EXPECT_EQ(a["open"], 2);
  EXPECT_EQ(a["done"], 0);
  EXPECT_EQ(a["next"], "A1");
  EXPECT_TRUE(says({"days"}, "next: ./warpath day A1"));
  EXPECT_TRUE(says({"days", "a"}, "needs later"));
  EXPECT_EQ(lab.run({"days"}).out.find('\033'), std::string::npos);
}

TEST_F(Days, ADayOpensWhenItsOpAppears) {
  EXPECT_TRUE(says({"day", "A2"}, "not open yet: needs the op later"));
  EXPECT_FALSE(says({"day", "A2"}, "./warpath check"));
  lab.write("ops/toys/later/later.h", "op = \"later\"");
  EXPECT_TRUE(says({"day", "A2"}, "not open yet: needs the rung 01 of later"));
  lab.write("ops/toys/later/01_first.cu", "");
  EXPECT_TRUE(says({"day", "A2"}, "./warpath check later mine.cu"));
  EXPECT_EQ(lab.run({"day", "A2", "--json"}).json()["open"], true);
}

TEST_F(Days, AnOpInsideAFolderIsFoundByItsHeader) {
  lab.write("ops/toys/later/later.h", "op = \"later\" and op = \"later_backward\"");
  lab.write("ops/toys/later/01_first.cu", "");
  lab.write("ops/toys/later/backward_01_second.cu", "");
  track(a_track("A", {a_day(1, {{"op", "later_backward"}, {"rung", "01"}})}));
  EXPECT_EQ(lab.run({"day", "A1", "--json"}).json()["file"],
            "ops/toys/later/backward_01_second.cu");
  track(a_track("A", {a_day(1, {{"op", "later"}, {"kind", "triton"}})}));
  EXPECT_TRUE(says({"day", "A1"}, "needs the Triton twin of later"));
  lab.write("ops/toys/later/later.py", "");
  EXPECT_TRUE(says({"day", "A1"}, "./warpath compare later"));
  // A family is named with a slash, as everywhere.
  track(a_track("A", {a_day(1, {{"needs", {"toys"}}}), a_day(2, {{"needs", {"toys/"}}})}));
  EXPECT_TRUE(says({"day", "A1"}, "needs the op toys"));
  EXPECT_TRUE(says({"day", "A2"}, "./warpath check toy mine.cu"));
}

TEST_F(Days, ThePageHasTheCommands) {
  EXPECT_TRUE(says({"day", "A1"}, "cp ops/toys/toy/01_naive.cu mine.cu"));
  EXPECT_TRUE(says({"day", "D1"}, "cp ops/toys/toy/01_naive.cu mine.cu"));
  EXPECT_TRUE(says({"day", "D1"}, "turn it into 02_better"));
  EXPECT_TRUE(says({"day", "A3"}, "./warpath cc hello.cu -o hello && ./hello"));
  EXPECT_TRUE(says({"day", "A3"}, "comes after A2"));
}

TEST_F(Days, WrongWordsAreExplained) {
  expect_refusal(lab.run({"day", "A101"}), "no day A101: track A has days 1 to 3");
  expect_refusal(lab.run({"day", "d4"}), "no day D4: track D has days 1 to 2, 5");
  expect_refusal(lab.run({"days", "F"}), "no track 'F'; there are: A, D");
  expect_refusal(lab.run({"days", "dd"}), "no track 'dd'; did you mean 'D'?");
  expect_refusal(lab.run({"day", "2"}), "day 2 of which track? A2, D2");
  expect_refusal(lab.run({"day", "9"}), "no track has a day 9");
  expect_refusal(lab.run({"day", "A1x"}), "a day is a track and a number, as A12");
  expect_refusal(lab.run({"done"}), "done needs days as A12; see ./warpath done --help");
  expect_refusal(lab.run({"done", "--undo", "A1"}), "A1 is not marked as done");
  expect_refusal(lab.run({"days", "A", "D"}), "one track at a time");
}

TEST_F(Days, WrongFilesAreNamedWithTheirDay) {
  const auto refused = [&](const json& t, const std::string& why) {
    track(t);
    expect_refusal(lab.run({"days"}), "course/a.json: " + why);
  };
  lab.write("course/a.json", a_track("B", {a_day(1, {})}).dump());
  expect_refusal(lab.run({"days"}), "course/a.json: is track 'B', by its name it is 'A'");
  refused(a_track("A", {}), "has no days");
  refused(a_track("A", {a_day(2, {{"minutes", "long"}})}),
          "day 2: 'minutes' must be a number from 5 to 600");
  refused(a_track("A", {a_day(1, {{"learns", {"x"}}})}),
          "day 1: no field 'learns'; did you mean 'learn'?");
  refused(a_track("A", {a_day(1, {{"kind", "oop"}})}), "day 1: no kind 'oop'; did you mean 'op'?");
  refused(a_track("A", {a_day(1, {{"kind", "study"}})}),
          "day 1: is of kind study and has no commands");
  refused(a_track("A", {a_day(1, {{"kind", "program"}})}),
          "day 1: 'program' belongs to days of kind");
  refused(a_track("A", {a_day(1, {{"task", ""}})}), "day 1: 'task' must be text");
  refused(a_track("A", {a_day(1, {{"mark", "later"}})}),
          "day 1: 'mark' must be mandatory or optional");
  refused(a_track("A", {a_day(2, {}), a_day(1, {})}), "day 1: comes after day 2");
  refused(a_track("A", {a_day(1, {}), a_day(5, {{"after", {3}}})}),
          "day 5: comes after day 3, which is not there");
  json nameless = a_day(1, {});
  nameless.erase("day");
  refused(a_track("A", {nameless}), "the 1. entry of days: has no 'day'");
  lab.write("course/a.json", "{\"track\": ");
  expect_refusal(lab.run({"day", "D1"}), "course/a.json: ");
  fs::remove_all(lab.home() / "course");
  expect_refusal(lab.run({"days"}), "the course is not there");
}

TEST_F(Days, MarksAreKeptInTheLearnersFile) {
  EXPECT_EQ(lab.run({"done", "A1", "d2"}).status, 0);
  const json file = json::parse(lab.read("my/progress.json"));
  EXPECT_EQ(file["done"].size(), 2u);
  EXPECT_EQ(file["done"]["D2"]["by"], "hand");
  EXPECT_EQ(file["done"]["A1"]["on"].get<std::string>().size(), 10u);
  EXPECT_TRUE(says({"days", "A"}, "done"));
  EXPECT_TRUE(says({"day", "A1"}, "done 20"));
  EXPECT_EQ(lab.run({"days", "A", "--json"}).json()["next"], "A3") << "A2 is not open";
  EXPECT_EQ(lab.run({"day", "--json"}).json()["id"], "D1") << "of the track marked last";
  EXPECT_EQ(lab.run({"day", "a", "--json"}).json()["id"], "A3");
  EXPECT_EQ(lab.run({"done", "--undo", "A1"}).status, 0);
  EXPECT_FALSE(json::parse(lab.read("my/progress.json"))["done"].contains("A1"));
  EXPECT_EQ(lab.run({"days", "A", "--json"}).json()["done"], 0);
  expect_refusal(lab.run({"done", "A3", "A9"}), "no day A9");
  EXPECT_FALSE(json::parse(lab.read("my/progress.json"))["done"].contains("A3"))
      << "all of it or nothing";
  for (const auto& e : fs::directory_iterator(lab.home() / "my"))
    EXPECT_EQ(e.path().filename(), "progress.json") << "nothing is left beside it";
}

TEST_F(Days, AnotherFileCanBeNamed) {
  lab.set("WARPATH_PROGRESS", (lab.home() / "elsewhere/marks.json").string());
  EXPECT_EQ(lab.run({"done", "A1"}).status, 0);
  EXPECT_TRUE(json::parse(lab.read("elsewhere/marks.json"))["done"].contains("A1"));
  EXPECT_FALSE(fs::exists(lab.home() / "my"));
}

TEST_F(Days, UnknownFieldsSurvive) {
  lab.write("my/progress.json",
            R"({"name": "x", "done": {"Z9": {"on": "?"}, "A1": {"tries": 3}}, "notes": [1, 2]})");
  EXPECT_EQ(lab.run({"done", "A1"}).status, 0);
  const json file = json::parse(lab.read("my/progress.json"));
  EXPECT_EQ(file["name"], "x");
  EXPECT_EQ(file["notes"], (json{1, 2}));
  EXPECT_TRUE(file["done"].contains("Z9"));
  EXPECT_EQ(file["done"]["A1"]["tries"], 3);
  EXPECT_EQ(file["done"]["A1"]["by"], "hand");
}

TEST_F(Days, ADamagedFileIsNeverWrittenOver) {
  for (const std::string damaged : {"{\"done\": ", "[1, 2]", "{\"done\": 7}", ""}) {
    lab.write("my/progress.json", damaged);
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"done", "A1"}, {"days"}, {"day", "A1"}}) {
      expect_refusal(lab.run(words), "my/progress.json is damaged");
      EXPECT_EQ(lab.read("my/progress.json"), damaged);
    }
  }
}

TEST_F(Days, AFileThatCannotBeWrittenIsSaid) {
  lab.write("my", "a file where the folder should be");
  const Said s = lab.run({"done", "A1"});
  EXPECT_EQ(s.status, 2);
  EXPECT_NE(s.err.find("my/progress.json"), std::string::npos) << s.err;
  EXPECT_EQ(lab.read("my"), "a file where the folder should be");
}

TEST_F(Days, TheFrontPageCountsOpenDays) {
  lab.write("README.md", "<!-- course:BEGIN -->\nold\n<!-- course:END -->\n");
  ASSERT_EQ(lab.run({"tables"}).status, 0);
  const std::string page = lab.read("README.md");
  EXPECT_NE(page.find("| A | 3 | 2 | Track A |"), std::string::npos) << page;
  EXPECT_EQ(page.find("old"), std::string::npos);
  lab.write("ops/toys/later/later.h", "op = \"later\"");
  lab.write("ops/toys/later/01_first.cu", "");
  EXPECT_EQ(lab.run({"tables", "--check"}).status, 1) << "a day has opened";
}

}  // namespace
