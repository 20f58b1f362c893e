// `ops` reads the tree's text: it must say what the libraries say.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "command.h"

using warpath::testing::expect_refusal;
using warpath::testing::Lab;
using warpath::testing::Said;
namespace fs = std::filesystem;

namespace {

#ifdef WARPATH_LIBRARIES
TEST(OpsList, IsWhatTheLibrariesSay) {
  Lab lab(WARPATH_LIBRARIES);
  fs::remove_all(lab.home() / "ops");
  for (const char* part : {"core", "ops"})
    fs::create_directory_symlink(fs::path(WARPATH_TREE) / part, lab.home() / part);
  const std::string list = lab.run({"ops"}).out;
  const auto ops = nlohmann::json::parse(lab.run({"ops", "--json"}).out)["ops"];
  ASSERT_GT(ops.size(), 0u);
  for (const auto& op : ops) {
    std::string types;
    for (const auto& d : op["dtypes"]) types += " " + d.get<std::string>();
    bool found = false;
    std::istringstream lines(list);
    for (std::string line; std::getline(lines, line) && !found;) {
      // A row without its widths: the family of the first one, then name, summary, types, count.
      std::istringstream words(line);
      std::string row, word;
      while (words >> word) row += " " + word;
      const std::string wanted = " " + op["op"].get<std::string>() + " " +
                                 op["summary"].get<std::string>() + types + " " +
                                 std::to_string(op["rungs"].size());
      found = row.ends_with(wanted);
    }
    EXPECT_TRUE(found) << op["op"] << "\n" << list;
  }
  // Names with commas in them are told apart.
  expect_refusal(lab.run({"check", "softmax", "--case", "zzz", "--backend", "simt"}),
                 "; 33k; 33k, cut differently; 1k, cut differently; ");
}

// What a rung is about may take two lines at the head of its file: no sentence is cut.
TEST(OpsList, ARungIsToldInWholeSentences) {
  const Lab lab;
  lab.write("ops/toys/toy/01_good.cu",
            "// Everything in one launch. Short rows get a\n// warp.\n//\n// Limit: none.\n");
  const Said s = lab.run({"ops", "toy"});
  EXPECT_NE(s.out.find("Everything in one launch. Short rows get a warp.\n"), std::string::npos)
      << s.out << s.err;
}

// A tree of which nothing is built.
TEST(OpsList, NeedsNothingBuilt) {
  const Lab lab;
  fs::create_directories(lab.home() / "ops/kind/fresh");
  lab.write("ops/kind/fresh/fresh.h", R"(struct Args {
  static constexpr const char* op = "fresh";
  static Contract contract() {
    return Contract(op, "y = fresh "
                        "x")
        .in("i", &Args::i, {"n"}, {DType::i64})
        .index()
        .in("x", &Args::x, {"n"}, {DType::f32, DType::boolean});
)");
  lab.write("ops/kind/fresh/01_naive.cu", "WARPATH_RUNG(Args, launch);\n");
  const std::string list = lab.run({"ops"}).out;
  std::istringstream words(list.substr(std::min(list.size(), list.find(" fresh "))));
  std::string row, word;
  for (int i = 0; i < 8 && words >> word; ++i) row += word + " ";
  EXPECT_EQ(row, "fresh y = fresh x f32 bool 1 ") << list;
}
#endif

}  // namespace
