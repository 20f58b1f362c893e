// The course of this tree: every file is valid, every day's targets and commands name what is there.
#include <gtest/gtest.h>

#include <regex>
#include <set>

#include "command.h"

namespace fs = std::filesystem;
using nlohmann::json;
using warpath::testing::Lab;
using warpath::testing::Said;

namespace {

std::string contents(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct OpOfTree {
  fs::path folder;
  std::vector<std::string> rungs;  // names as `--rung` takes them: 01_naive
};

// By the folders and headers, independently of the program.
const std::map<std::string, OpOfTree>& ops_of_tree() {
  static const std::map<std::string, OpOfTree> ops = [] {
    std::map<std::string, OpOfTree> found;
    const std::regex declared("op = \"([a-z0-9_]+)\""), numbered("(^|.*_)([0-9][0-9]_.*)");
    for (const auto& family : fs::directory_iterator(fs::path(WARPATH_TREE) / "ops"))
      for (const auto& folder : fs::directory_iterator(family.path())) {
        const std::string name = folder.path().filename().string();
        const std::string header = contents(folder.path() / (name + ".h"));
        if (header.empty()) continue;
        OpOfTree op{folder.path(), {}};
        for (const auto& file : fs::directory_iterator(folder.path())) {
          std::smatch m;
          const std::string stem = file.path().stem().string();
          if (file.path().extension() == ".cu" && std::regex_match(stem, m, numbered))
            op.rungs.push_back(m[2]);
        }
        found[name] = op;
        for (std::sregex_iterator it(header.begin(), header.end(), declared), end; it != end; ++it)
          found[(*it)[1]] = op;
      }
    return found;
  }();
  return ops;
}

bool has_rung(const std::string& op, const std::string& start) {
  const auto& rungs = ops_of_tree().at(op).rungs;
  return std::any_of(rungs.begin(), rungs.end(),
                     [&](const std::string& r) { return r.starts_with(start); });
}

bool in_tree(const std::string& file) {
  return fs::exists(fs::path(WARPATH_TREE) / file);
}

class Course : public ::testing::Test {
 protected:
  Course() { lab.use_real_tree(); }

  // The pages of a track, asked for once in all tests of a process.
  const json& days_of(const std::string& id) {
    static std::map<std::string, json> asked;
    if (json& pages = asked[id]; pages.is_null()) {
      const Said s = lab.run({"days", id, "--json"});
      EXPECT_EQ(s.status, 0) << s.err;
      pages = s.status == 0 ? s.json()["days"] : json::array();
    }
    return asked[id];
  }
  std::vector<json> every_day() {
    std::vector<json> days;
    for (const char* id : {"A", "B", "C", "D", "E"})
      for (const json& d : days_of(id)) days.push_back(d);
    return days;
  }

  Lab lab;
};

// A day whose task is a program has ours to look at, and the other commands say what kind of day it is.
TEST_F(Course, ProgramsHaveASolutionToo) {
  for (const json& d : every_day()) {
    if (!d.contains("program")) continue;
    const std::string day = d["id"], file = d["program"].get<std::string>() + ".cu";
    const Said s = lab.run({"solution", day});
    EXPECT_EQ(s.status, 0) << day << s.err;
    EXPECT_NE(s.out.find("course/programs/" + file), std::string::npos) << day;
    EXPECT_NE(s.out.find("int main("), std::string::npos) << day;
  }
  for (const char* command : {"hint", "grade", "start"})
    EXPECT_NE(lab.run({command, "A2"}).err.find("./warpath solution A2"), std::string::npos)
        << command;
}

// From another folder a page is named so that it can be opened.
TEST_F(Course, PagesAreFoundFromWhereverOneIs) {
  const Said s = lab.run({"day", "E1"});
  const std::size_t at = s.out.find("read: ");
  ASSERT_NE(at, std::string::npos) << s.out;
  const std::string page = s.out.substr(at + 6, s.out.find('\n', at) - at - 6);
  EXPECT_TRUE(std::filesystem::exists(lab.home() / page)) << page;
}

TEST_F(Course, EveryTrackHasItsDaysWithoutHoles) {
  const auto up_to = [](int last) {
    std::vector<int> numbers;
    for (int n = 1; n <= last; ++n) numbers.push_back(n);
    return numbers;
  };
  std::map<std::string, std::vector<int>> expected = {
      {"A", up_to(100)}, {"B", up_to(30)}, {"C", up_to(55)}, {"D", up_to(40)}, {"E", up_to(30)}};
  for (const int milestone : {45, 60, 75, 90, 100}) expected["D"].push_back(milestone);
  for (const auto& [id, numbers] : expected) {
    std::vector<int> found;
    for (const json& d : days_of(id)) found.push_back(d["day"]);
    EXPECT_EQ(found, numbers) << id;
  }
  EXPECT_EQ(lab.run({"days", "--json"}).json()["tracks"].size(), expected.size());
}

TEST_F(Course, EveryDayHasATaskOfItsOwn) {
  std::map<std::string, std::string> seen;  // a task or an idea, and whose it is
  for (const json& d : every_day()) {
    const std::string id = d["id"];
    for (const std::string& text : {d["task"].dump(), d["idea"].dump()}) {
      EXPECT_GT(text.size(), 60u) << id << ": " << text;
      EXPECT_EQ(seen.emplace(text, id).first->second, id) << "the same text as " << id;
    }
    EXPECT_GE(d["learn"].size(), 2u) << id;
    EXPECT_EQ(d.contains("korean"), id[0] == 'A' || id[0] == 'B') << id;
  }
}

TEST_F(Course, EveryTargetThatIsThereResolves) {
  for (const json& d : every_day()) {
    const std::string id = d["id"], op = d.value("op", ""), rung = d.value("rung", "");
    const bool there = ops_of_tree().contains(op);
    if (!op.empty() && !there) {
      EXPECT_FALSE(d["open"]) << id;
    }
    if (!rung.empty() && there) {
      ASSERT_TRUE(has_rung(op, rung)) << id << ": " << op << " has no rung " << rung;
      EXPECT_TRUE(in_tree(d.value("file", "none"))) << id;
    }
    if (d["kind"] == "triton" && there) {
      const fs::path folder = ops_of_tree().at(op).folder;
      const std::string twin = contents(folder / (folder.filename().string() + ".py"));
      EXPECT_NE(twin.find("\ndef " + op + "("), std::string::npos) << id << ": no twin of " << op;
    }
    EXPECT_TRUE(in_tree(d.value("lesson", "README.md"))) << id << ": " << d["lesson"];
    if (const std::string program = d.value("program", ""); !program.empty()) {
      EXPECT_TRUE(in_tree("course/programs/" + program + ".cu")) << id;
    }
    for (const json& e : d.value("extra", json::array())) {
      const std::string also = e["op"], at = e["rung"];
      EXPECT_TRUE(at.empty() || !ops_of_tree().contains(also) || has_rung(also, at))
          << id << ": " << also << " has no rung " << at;
    }
  }
}

TEST_F(Course, EveryOpIsReachedOrMarkedAsBeyond) {
  std::set<std::string> reached;
  for (const json& d : every_day()) {
    const auto reach = [&](const std::string& op) {
      if (const auto at = ops_of_tree().find(op); at != ops_of_tree().end())
        reached.insert(at->second.folder.filename());
    };
    reach(d.value("op", ""));
    for (const json& need : d["needs"]) reach(need);
    for (const json& e : d.value("extra", json::array())) reach(e["op"]);
  }
  const json beyond = json::parse(contents(fs::path(WARPATH_TREE) / "course/beyond.json"))["ops"];
  for (const auto& [op, why] : beyond.items()) EXPECT_GT(why.get<std::string>().size(), 20u) << op;
  for (const auto& [op, where] : ops_of_tree()) {
    const std::string folder = where.folder.filename();
    EXPECT_NE(reached.contains(folder), beyond.contains(folder))
        << folder
        << ": name it in a day of course/*.json, or in course/beyond.json with the reason";
  }
}

// A command line of a page, in words: quotes are taken away, as a shell would.
std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  std::string word;
  char quote = 0;
  bool inside = false;
  for (const char c : line + " ") {
    if (quote ? c == quote : c == '\'' || c == '"') {
      quote = quote ? 0 : c;
      inside = true;
    } else if (c == ' ' && !quote) {
      if (inside || !word.empty()) words.push_back(word);
      word.clear();
      inside = false;
    } else {
      word += c;
    }
  }
  return words;
}

// "a && b; c" is three commands.
std::vector<std::vector<std::string>> commands_of(const std::string& line) {
  std::vector<std::vector<std::string>> commands(1);
  for (std::string word : words_of(line)) {
    const bool last = word.ends_with(';');
    if (last) word.pop_back();
    if (word != "&&") commands.back().push_back(word);
    if (last || word == "&&") commands.emplace_back();
  }
  return commands;
}

class Commands : public Course {
 protected:
  // What is wrong with the words of one command, or nothing.
  std::string complaint(std::vector<std::string> words) {
    while (!words.empty() && std::regex_match(words[0], std::regex("[A-Z_]+=.*")))
      words.erase(words.begin());
    if (words.empty()) return "nothing to run";
    for (const std::string& w : words)
      if (w.starts_with("ops/") && !in_tree(w)) return "no file " + w;
    if (words[0] != "./warpath") {
      const bool own = words[0].starts_with("./") || words[0] == "cp" || words[0] == "head" ||
                       words[0] == "bash" || words[0] == "echo";
      return own ? "" : "no command of the course: " + words[0];
    }
    if (words.size() < 2 || help("").find("\n  " + words[1] + " ") == std::string::npos)
      return "no command of warpath";
    return arguments_complaint(words[1], {words.begin() + 2, words.end()});
  }

 private:
  std::string arguments_complaint(const std::string& command,
                                  const std::vector<std::string>& args) {
    if (command == "cc" || command == "python" || command == "debug") return "";
    static const std::set<std::string> values = {"--rung",  "--case", "--dtype", "--why",
                                                 "--seed",  "--row",  "--plot",  "--compare",
                                                 "--steps", "--out",  "--model"};
    std::vector<std::string> ops, rungs;
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (args[i][0] != '-') {
        ops.push_back(args[i]);
        continue;
      }
      if (help(command).find(args[i]) == std::string::npos) return "no flag " + args[i];
      if (!values.contains(args[i])) continue;
      if (++i == args.size()) return "no value for " + args[i - 1];
      if (args[i - 1] == "--rung") rungs.push_back(args[i]);
    }
    static const std::set<std::string> of_days = {"day",      "done", "start", "watch",
                                                  "solution", "hint", "grade"};
    if (command == "days") return lab.run({command, ops.at(0)}).status == 0 ? "" : "no track";
    if (ops.size() == 1 && (ops[0].ends_with(".wgsl") || ops[0].ends_with(".py")))
      return lab.run({"start", ops[0], "--where"}).status == 0 ? "" : "no exercise " + ops[0];
    if (of_days.contains(command)) return has_day(ops.at(0)) ? "" : "no day " + ops.at(0);
    std::erase_if(ops, [](const std::string& op) { return op.ends_with(".cu"); });
    for (std::string& op : ops)  // softmax/03 of xray and profile
      if (const auto slash = op.find('/'); slash != op.npos) {
        rungs.push_back(op.substr(slash + 1));
        op.resize(slash);
      }
    for (const std::string& op : ops) {
      if (!ops_of_tree().contains(op)) return "no op " + op;
      for (const std::string& list : rungs)
        for (const std::string& rung : words_of(std::regex_replace(list, std::regex(","), " ")))
          if (!has_rung(op, rung)) return op + " has no rung " + rung;
    }
    return "";
  }

  bool has_day(const std::string& id) {
    const json& days = days_of(id.substr(0, 1));
    return std::any_of(days.begin(), days.end(), [&](const json& d) { return d["id"] == id; });
  }

  const std::string& help(const std::string& command) {
    const auto [at, is_new] = help_.try_emplace(command);
    // The launcher's own; its flags are those of python -m warpath compare and of the tests.
    if (command == "compare")
      at->second = "--case --dtype --row --json --plot";
    else if (command == "test")
      at->second = "--changed --all --cost";
    else if (is_new)
      at->second = lab.run(command.empty() ? std::vector<std::string>{"--help"}
                                           : std::vector<std::string>{command, "--help"})
                       .out;
    return at->second;
  }
  std::map<std::string, std::string> help_;
};

TEST_F(Commands, EveryCommandOfAnOpenDayNamesWhatIsThere) {
  int seen = 0;
  for (const json& d : every_day()) {
    EXPECT_EQ(d["open"].get<bool>(), !d["commands"].empty()) << d["id"];
    for (const json& c : d["commands"]) {
      const std::string line = c["command"];
      for (const std::vector<std::string>& words : commands_of(line)) {
        EXPECT_EQ(complaint(words), "") << d["id"] << ": " << line;
        ++seen;
      }
    }
  }
  EXPECT_GT(seen, 400);
}

TEST_F(Commands, TheTestItselfSeesMistakes) {
  const auto says = [&](const std::string& line) { return complaint(words_of(line)); };
  EXPECT_EQ(says("./warpath check softmax mine.cu --sanitize"), "");
  EXPECT_EQ(says("./warpath chekc softmax"), "no command of warpath");
  EXPECT_EQ(says("./warpath check sofmax"), "no op sofmax");
  EXPECT_EQ(says("./warpath start A1"), "");
  EXPECT_EQ(says("./warpath start A101"), "no day A101");
  EXPECT_EQ(says("./warpath start relu.wgsl"), "");
  EXPECT_EQ(says("./warpath grade scan.wgsl"), "no exercise scan.wgsl");
  EXPECT_EQ(says("./warpath check softmax --rung 77"), "softmax has no rung 77");
  EXPECT_EQ(says("./warpath check softmax --sanitise"), "no flag --sanitise");
  EXPECT_EQ(says("cp ops/softmax/softmax/77.cu mine.cu"), "no file ops/softmax/softmax/77.cu");
  EXPECT_EQ(says("nvcc mine.cu"), "no command of the course: nvcc");
}

TEST_F(Course, TheCheapCommandsRun) {
  int ran = 0;
  for (const char* id : {"A4", "B14", "C30", "D18", "E15"}) {
    const json d = lab.run({"day", id, "--json"}).json();
    const std::string op = d["op"];
    const fs::path library = fs::path(WARPATH_PROGRAM).parent_path().parent_path() / "lib" /
                             (ops_of_tree().at(op).folder.filename().string() + "_host.so");
    if (!fs::exists(library)) continue;
    const Said s = lab.run({"ops", op});
    EXPECT_EQ(s.status, 0) << s.err;
    EXPECT_NE(s.out.find(d.value("rung", op)), std::string::npos) << id << "\n" << s.out;
    ++ran;
  }
  if (ran == 0) GTEST_SKIP() << "no op is built";
}

}  // namespace
