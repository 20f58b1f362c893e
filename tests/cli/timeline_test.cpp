// `profile` keeps a timeline where nsys is installed; here a script stands in for it.
#include "cli/timeline.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "harness/process.h"

namespace fs = std::filesystem;
using warpath::cli::keep_timeline;

namespace {

class Timeline : public ::testing::Test {
 protected:
  void TearDown() override { unsetenv("NSYS"); }

  void nsys(const std::string& script) {
    const fs::path file = path("nsys");
    std::ofstream(file) << "#!/bin/sh\n" << script;
    fs::permissions(file, fs::perms::owner_all);
    setenv("NSYS", file.c_str(), 1);
  }
  std::string path(const char* name) { return folder_.file(name).string(); }

  warpath::harness::TemporaryFolder folder_;
};

TEST_F(Timeline, RunsTheProgramAndKeepsTheReport) {
  nsys("[ \"$1 $2 $3 $4 $5\" = 'profile --force-overwrite=true --trace=cuda -o " + path("k") +
       "' ] || exit 9\nshift 5\n\"$@\" > " + path("k.nsys-rep") + "\n");
  const std::string said = keep_timeline({"echo", "two words", "more"}, path("k"));
  EXPECT_EQ(said,
            "its launches and copies on a timeline: " + path("k.nsys-rep") + " (nsys-ui opens it)");
  std::string text;
  std::getline(std::ifstream(path("k.nsys-rep")), text);
  EXPECT_EQ(text, "two words more");
}

TEST_F(Timeline, SaysWhyThereIsNone) {
  std::ofstream(path("k.nsys-rep")) << "of last week";
  nsys("echo 'no permission'\necho more\nexit 3\n");
  EXPECT_EQ(keep_timeline({"true"}, path("k")),
            "no timeline: " + path("nsys") + " ended with status 3: no permission");
  EXPECT_FALSE(fs::exists(path("k.nsys-rep")));
}

}  // namespace
